// Profiles are applied as LLVM's own -fprofile-use applies them; mismatched files are refused.
#include "use_tools.h"

namespace kernloop::pgo_pass {
namespace {

const Profile& spill_profile(const std::string& arch = "gfx90a") {
  return measured(arch, kSpill, kSpillKernels, 200);
}

// Entry counts and branch weights, in order, of the last module printed after PGOInstrumentationUse.
Words weights_in(const std::string& dump) {
  const size_t begin = dump.rfind("IR Dump After PGOInstrumentationUse");
  EXPECT_NE(begin, std::string::npos) << dump.substr(0, 2000);
  if (begin == std::string::npos) return {};
  const std::string module = dump.substr(begin);
  std::map<std::string, std::string> nodes;
  const std::regex node("\n(![0-9]+) = (!\\{!\"(?:branch_weights|function_entry_count)[^\n]*)");
  for (std::sregex_iterator at(module.begin(), module.end(), node), end; at != end; ++at) nodes[(*at)[1]] = (*at)[2];
  Words weights;
  const std::regex use("!prof (![0-9]+)");
  for (std::sregex_iterator at(module.begin(), module.end(), use), end; at != end; ++at)
    weights.push_back(nodes.at((*at)[1]));
  return weights;
}

TEST(pgo_use, weights_are_those_of_stock_profile_use) {
  const auto& profile = spill_profile();
  const Words print = {"-mllvm", "-print-after=pgo-instr-use", "-mllvm", "-print-module-scope"};
  Words stock = print;
  stock.push_back("-fprofile-use=" + profile.indexed);
  const auto ours =
      weights_in(run_well(Compile{"gfx90a", kSpill, work() + "/o.co", profile.options("off"), print}.command()));
  EXPECT_EQ(ours, weights_in(run_well(Compile{"gfx90a", kSpill, work() + "/s.co", {}, stock}.command())));
  // Four kernels, each entered by 1024 lanes, with a branch that is known to go 199 to 1 or alike.
  EXPECT_EQ(std::count(ours.begin(), ours.end(), "!{!\"function_entry_count\", i64 1024}"), 4);
  EXPECT_GE(ours.size(), 16U);
}

TEST(pgo_use, a_hash_of_other_code_is_an_error_that_names_the_function) {
  std::string text = read_text(spill_profile().text);
  const size_t at = text.find("\n", text.find("# Func Hash:", text.find("spill_hot"))) + 1;
  text[at] = text[at] == '1' ? '2' : '1';
  write_text(work() + "/other.proftext", text);
  index_profile(work() + "/other.proftext", work() + "/other.profdata");
  const Words use = {"-kernloop-pgo=use", "-kernloop-pgo-profile=" + work() + "/other.profdata"};
  const auto ours = runCommand(Compile{"gfx90a", kSpill, work() + "/o.co", use}.command());
  EXPECT_NE(ours.status, 0);
  EXPECT_NE(ours.text.find("it does not fit spill_hot (hash 0x"), std::string::npos) << ours.text;
  // Stock warns, and compiles as though nothing were wrong.
  const auto stock = runCommand(
      Compile{"gfx90a", kSpill, work() + "/s.co", {}, {"-fprofile-use=" + work() + "/other.profdata"}}.command());
  EXPECT_EQ(stock.status, 0);
}

TEST(pgo_use, a_function_without_a_profile_is_no_error_and_is_told_of) {
  std::string text = read_text(spill_profile().text);
  const size_t begin = text.find("spill_every\n");
  text.erase(begin, text.find("\n\n", begin) + 2 - begin);
  write_text(work() + "/less.proftext", text);
  index_profile(work() + "/less.proftext", work() + "/less.profdata");
  const std::string report = work() + "/less-%a.json";
  run_well(Compile{
      "gfx90a",
      kSpill,
      work() + "/less.co",
      {"-kernloop-pgo=use", "-kernloop-pgo-profile=" + work() + "/less.profdata", "-kernloop-pgo-report=" + report}}
               .command());
  EXPECT_EQ(function_of(work() + "/less-gfx90a.json", "spill_every")["profile"], "absent");
  EXPECT_EQ(function_of(work() + "/less-gfx90a.json", "spill_hot")["profile"], "used");
}

TEST(pgo_use, a_side_file_has_to_belong_to_the_profile) {
  const auto& profile = spill_profile();
  const json good = json::parse(read_text(profile.waves));
  const auto refusal = [&](const json& waves, const std::string& gate = "wave") {
    Profile changed = profile;
    changed.waves = work() + "/changed.waves.json";
    write_text(changed.waves, waves.dump());
    const auto output = runCommand(Compile{"gfx90a", kSpill, work() + "/o.co", changed.options(gate)}.command());
    return output.status == 0 ? "" : output.text;
  };
  EXPECT_EQ(refusal(good), "");
  json bad = good;
  bad["arch"] = "gfx1030";
  EXPECT_NE(refusal(bad).find("it was measured on gfx1030"), std::string::npos);
  bad = good;
  bad["functions"][0]["counters"][0] = "0x1";
  EXPECT_NE(refusal(bad).find("the two are of different merges"), std::string::npos);
  bad = good;
  bad["functions"][0]["hash"] = "0x1";
  EXPECT_NE(refusal(bad).find("has another hash here"), std::string::npos);
  bad = good;
  bad["functions"][0]["classes"].push_back(bad["functions"][0]["classes"][0]);
  EXPECT_NE(refusal(bad).find("classes of blocks here and"), std::string::npos);
  bad = good;
  std::swap(bad["functions"][0]["counter_class"][0], bad["functions"][0]["counter_class"][1]);
  EXPECT_NE(refusal(bad).find("of another one in the module"), std::string::npos);
  bad = good;
  bad["functions"][0]["pattern"] = "";
  EXPECT_NE(refusal(bad, "uniform").find("does not say which blocks of"), std::string::npos);
  bad = good;
  bad["functions"][0].erase("classes");
  bad["functions"][0].erase("counter_class");
  EXPECT_NE(refusal(bad, "wave").find("it has no wave visits of"), std::string::npos);
  EXPECT_EQ(refusal(bad, "flatten"), "");
}

TEST(pgo_use, other_tools_find_the_pattern_at_the_function) {
  const std::string ir = work() + "/attribute.ll";
  run_well(Compile{"gfx90a", kSpill, ir, spill_profile().options("off"), {"-emit-llvm"}, "-S"}.command());
  const std::string text = read_text(ir);
  // spill_divergent: the cold block alone; spill_every and spill_hot: both.
  EXPECT_NE(text.find("\"amdgpu-block-uniformity\"=\"UDUU\""), std::string::npos);
  EXPECT_NE(text.find("\"amdgpu-block-uniformity\"=\"DDUU\""), std::string::npos);
  EXPECT_NE(text.find("\"amdgpu-block-uniformity\"=\"UUUU\""), std::string::npos);
}

// Lanes that talk to each other have to meet: one ds_bpermute in the source is one in the code.
TEST(pgo_use, convergent_operations_are_not_copied) {
  const std::string map = work() + "/convergent.json";
  run_well(
      Compile{"gfx90a", kSpecial, work() + "/c.co", {"-kernloop-pgo=generate", "-kernloop-pgo-map=" + map}}.command());
  std::string text = ":ir\n";
  const json functions = json::parse(read_text(map))["functions"];
  for (const auto& function : functions) {
    text += function["name"].get<std::string>() + "\n" +
            std::to_string(std::stoull(function["hash"].get<std::string>(), nullptr, 16)) + "\n" +
            std::to_string(function["counters"].size()) + "\n";
    for (size_t i = 0; i < function["counters"].size(); ++i) text += "100000\n";
  }
  write_text(work() + "/c.proftext", text);
  index_profile(work() + "/c.proftext", work() + "/c.profdata");
  const auto permutes = [&](const Words& pass, const Words& more) {
    run_well(Compile{"gfx90a", kSpecial, work() + "/c.s", pass, more, "-S"}.command());
    const std::string code = read_text(work() + "/c.s");
    const std::regex permute("\n\tds_bpermute_b32");
    return std::distance(std::sregex_iterator(code.begin(), code.end(), permute), std::sregex_iterator());
  };
  const Words use = {"-kernloop-pgo=use", "-kernloop-pgo-profile=" + work() + "/c.profdata"};
  EXPECT_EQ(permutes(use, {}), 1);
  // Why: LLVM's control height reduction would.
  const std::string stock = "-fprofile-use=" + work() + "/c.profdata";
  EXPECT_EQ(permutes({}, {stock}), 2);
  EXPECT_EQ(permutes({}, {stock, "-Xclang -mllvm -Xclang -disable-chr"}), 1);
}

TEST(pgo_use, nvptx_has_weights_and_refuses_a_gate) {
  const std::string source = work() + "/k.cu";
  write_text(source,
             "extern \"C\" __attribute__((global)) void k(int* out, int n) {\n"
             "  int i = __nvvm_read_ptx_sreg_tid_x();\n  if (i < n) out[i] = i * 3; else out[0] = n;\n}\n");
  const auto compile = [&](const std::string& options, const std::string& more) {
    return KERNLOOP_PGO_CLANG
           " -x cuda --cuda-device-only --offload-arch=sm_90 --cuda-feature=+ptx80 -nocudainc -nocudalib "
           "-Wno-unknown-cuda-version -O3 "
           "-fpass-plugin=" KERNLOOP_PGO_PLUGIN " " +
           options + " " + more + " -S " + source + " -o " + work() + "/k.ll";
  };
  run_well(
      compile(pluginOption("-kernloop-pgo=generate") + pluginOption("-kernloop-pgo-map=" + work() + "/k.json"), ""));
  const json function = json::parse(read_text(work() + "/k.json"))["functions"][0];
  write_text(
      work() + "/k.proftext",
      ":ir\nk\n" + std::to_string(std::stoull(function["hash"].get<std::string>(), nullptr, 16)) + "\n2\n70\n30\n");
  ASSERT_EQ(function["counters"].size(), 2U);
  index_profile(work() + "/k.proftext", work() + "/k.profdata");
  const std::string use =
      pluginOption("-kernloop-pgo=use") + pluginOption("-kernloop-pgo-profile=" + work() + "/k.profdata");
  run_well(compile(use + pluginOption("-kernloop-pgo-report=" + work() + "/k.report.json"), "-emit-llvm"));
  EXPECT_NE(read_text(work() + "/k.ll").find("!\"function_entry_count\", i64 100}"), std::string::npos);
  EXPECT_EQ(function_of(work() + "/k.report.json", "k")["blocks"][0]["lanes"], 100);
  const auto gated = runCommand(compile(use + pluginOption("-kernloop-pgo-gate=flatten"), ""));
  EXPECT_NE(gated.status, 0);
  EXPECT_NE(gated.text.find("ptxas allocates its registers"), std::string::npos) << gated.text;
}

}  // namespace
}  // namespace kernloop::pgo_pass
