#include "softgpu/engine/translate/region.h"

#include <algorithm>
#include <cstddef>

#include "softgpu/engine/wave/workgroup.h"

namespace kernloop::softgpu {

namespace {

constexpr size_t kMostRuns = 24, kMostSteps = 512;

uint64_t address_of(const CodeRun& run) {
  return run.steps.front().instruction->address;
}

// The way on from a run.
struct Exit {
  bool is_known = false;                       // by address; else its last step chooses, or changes the wave's state
  const DecodedInstruction* branch = nullptr;  // is taken under its condition, if it has one
  uint64_t next = 0, target = 0;
};

Exit exit_of(const CodeRun& run) {
  const DecodedInstruction& last = *run.steps.back().instruction;
  const uint64_t next = last.address + last.size_bytes;
  const uint64_t target = last.address + 4 + static_cast<uint64_t>(int64_t{last.simm16} * 4);
  if (is_conditional_branch(last) && last.encoding == Encoding::kSopP) return {true, &last, next, target};
  if (last.op == Op::s_branch) return {true, &last, next, target};
  if (last.execute == execute_nothing || !ends_run(last)) return {true, nullptr, next, 0};
  return {};
}

std::string decimal(uint64_t value) {
  return std::to_string(value);
}

template <class T>
std::string address_text(T* at) {
  return "inttoptr (i64 " + decimal(reinterpret_cast<uintptr_t>(at)) + " to ptr)";
}

// The base class makes offsetof conditional; compilers for x86-64 have it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
constexpr size_t kLanesOutside = offsetof(WaveSlot, lanes_outside);
#pragma GCC diagnostic pop

class RegionFunction {
 public:
  RegionFunction(const TranslatedRegion& region, const std::vector<std::string>& segments, unsigned wave_size,
                 ModuleText& module)
      : region_(region), names_(segments), wave_size_(wave_size), module_(module) {}

  std::string write(const std::string& name) {
    name_ = name;
    size_t segment = 0;
    for (size_t k = 0; k < region_.runs.size(); ++k) write_run(k, segment);
    std::string text = "define i32 @" + name + "(ptr noalias %wave, ptr noalias %state, i32 %first) #0 {\nentry:\n" +
                       "  %partial = alloca [" + decimal(Segment::kMaxMasks) + " x i64]\n";
    const auto member = [&](const char* of, size_t offset, const char* member_name) {
      text +=
          std::string("  %at.") + member_name + " = getelementptr i8, ptr " + of + ", i64 " + decimal(offset) + "\n";
    };
    const auto load = [&](const char* of, size_t offset, const char* member_name, const char* type) {
      member(of, offset, member_name);
      text += std::string("  %") + member_name + " = load " + type + ", ptr %at." + member_name + "\n";
    };
    load("%state", offsetof(RegionState, end), "end", "i64");
    load("%state", offsetof(RegionState, by_class), "by_class", "ptr");
    load("%state", offsetof(RegionState, active_lanes), "active_lanes", "ptr");
    load("%state", offsetof(RegionState, valu_lanes), "valu_lanes", "ptr");
    load("%state", offsetof(RegionState, lds), "lds", "ptr");
    load("%state", offsetof(RegionState, divergent_branches), "divergent_branches", "ptr");
    member("%wave", offsetof(Wave, instructions), "instructions");
    member("%wave", offsetof(Wave, pc), "pc");
    member("%wave", offsetof(Wave, next_pc), "next_pc");
    member("%wave", offsetof(Wave, scc), "scc");
    member("%wave", offsetof(Wave, sgpr) + 4 * kVcc, "vcc");
    member("%wave", offsetof(Wave, sgpr) + 4 * kExec, "exec");
    member("%wave", kLanesOutside, "outside");
    // No instruction within changes MODE: what writes it leaves the region.
    text += "  %is_default = call i1 " + address_text(&has_default_mode) +
            "(ptr %wave)\n  switch i32 %first, label %run0 [";
    for (size_t k = 1; k < region_.runs.size(); ++k) text += " i32 " + decimal(k) + ", label %run" + decimal(k);
    return text + " ]\n" + body_ + "}\n";
  }

 private:
  std::string fresh() { return "%x" + decimal(next_++); }
  std::string define(const std::string& what) {
    std::string name = fresh();
    body_ += "  " + name + " = " + what + "\n";
    return name;
  }
  void add(const std::string& at, const std::string& value) {
    const std::string sum = define("add i64 " + define("load i64, ptr " + at) + ", " + value);
    body_ += "  store i64 " + sum + ", ptr " + at + "\n";
  }
  void set(const char* at, uint64_t value) { body_ += "  store i64 " + decimal(value) + ", ptr " + at + "\n"; }
  void label(const std::string& name) { body_ += name + ":\n"; }

  void write_run(size_t k, size_t& segment) {
    const CodeRun& run = *region_.runs[k];
    const std::string own = "run" + decimal(k);
    label(own);
    const std::string count =
        define("add i64 " + define("load i64, ptr %at.instructions") + ", " + decimal(run.steps.size()));
    const std::string over = define("icmp ugt i64 " + count + ", %end");
    body_ += "  br i1 " + over + ", label %" + own + ".late, label %" + own + ".go, !prof !2\n";
    label(own + ".late");
    leave(address_of(run));
    label(own + ".go");
    body_ += "  store i64 " + count + ", ptr %at.instructions\n";
    set("%at.pc", address_of(run));
    count_run(run);
    const size_t last = run.steps.size() - 1;
    for (size_t step = 0; step < last;) {
      const bool has_segment = segment < region_.segments.size() && region_.run_of_segment[segment] == k;
      if (has_segment && region_.segments[segment].first() == step) {
        execute_segment(run, k, segment);
        step = region_.segments[segment++].end();
        continue;
      }
      size_t end = has_segment ? region_.segments[segment].first() : last;
      while (step < end && run.steps[step].execute == execute_nothing) ++step;
      size_t behind = end;
      while (behind > step && run.steps[behind - 1].execute == execute_nothing) --behind;
      execute_steps(run, k, step, behind);
      step = end;
    }
    finish_run(run, k);
  }

  void count_run(const CodeRun& run) {
    for (size_t k = 0; k < static_cast<size_t>(InstructionClass::kCount); ++k) {
      if (run.by_class[k] == 0) continue;
      add(define("getelementptr i64, ptr %by_class, i64 " + decimal(k)), decimal(run.by_class[k]));
    }
    if (run.vectors == 0) return;
    const std::string lanes = define("call i64 @llvm.ctpop.i64(i64 " + define("load i64, ptr %at.exec") + ")");
    add("%active_lanes", define("mul i64 " + lanes + ", " + decimal(run.vectors)));
    if (run.valus != 0) add("%valu_lanes", define("mul i64 " + lanes + ", " + decimal(run.valus)));
  }

  // Steps in no segment: scalar arithmetic is part of the function, and the rest is called.
  void execute_steps(const CodeRun& run, size_t k, size_t first, size_t end) {
    size_t called = first;
    for (size_t step = first; step < end; ++step) {
      if (!is_scalar_step(*run.steps[step].instruction, true)) continue;
      call_steps(run, k, called, step);
      execute_scalar(*run.steps[step].instruction);
      called = step + 1;
    }
    call_steps(run, k, called, end);
  }
  void execute_scalar(const DecodedInstruction& instruction) {
    const std::string call = module_.call_of_scalar(instruction, name_ + ".instruction_" + decimal(next_++));
    if (!instruction.untracked) {
      body_ += call;
    } else if (adds_all_lanes(instruction)) {
      body_ += "  store i64 " + define("load i64, ptr %at.exec") + ", ptr %at.outside\n" + call;
    } else {
      change_exec(call);
    }
  }
  // Counts branches that split the wave, as execute_watching_exec() does.
  void change_exec(const std::string& call) {
    const std::string before = define("load i64, ptr %at.exec");
    body_ += call;
    const std::string after = define("load i64, ptr %at.exec"), outside = define("load i64, ptr %at.outside");
    body_ += "  store i64 0, ptr %at.outside\n";
    const std::string added = define("and i64 " + after + ", " + define("xor i64 " + before + ", -1"));
    std::string splits = define("icmp eq i64 " + added + ", 0");
    for (const std::string& other : {std::string("0"), before, outside})
      splits = define("and i1 " + splits + ", " + define("icmp ne i64 " + after + ", " + other));
    add("%divergent_branches", define("zext i1 " + splits + " to i64"));
  }
  // They may fault.
  void call_steps(const CodeRun& run, size_t k, size_t first, size_t end) {
    if (first == end) return;
    const CodeRun::Step* const at = run.steps.data() + first;
    if (end - first == 1) {
      fault_if("call zeroext i1 " + address_text(&RegionState::execute_step) + "(ptr %wave, ptr %state, ptr " +
                   address_text(at) + ")",
               k);
    } else {
      fault_if("call zeroext i1 " + address_text(&RegionState::execute_steps) + "(ptr %wave, ptr %state, ptr " +
                   address_text(at) + ", ptr " + address_text(run.steps.data() + end) + ")",
               k);
    }
  }
  void fault_if(const std::string& call, size_t k) {
    const std::string faults = define(call), label_number = decimal(next_++);
    body_ += "  br i1 " + faults + ", label %fault" + label_number + ", label %on" + label_number + ", !prof !2\n";
    label("fault" + label_number);
    body_ += "  ret i32 " + decimal(k + 1) + "\n";
    label("on" + label_number);
  }

  void execute_segment(const CodeRun& run, size_t k, size_t index) {
    const TranslatedSegment& segment = region_.segments[index];
    const std::string steps = address_text(run.steps.data()), self = address_text(&segment), id = decimal(next_++);
    const std::string given_up =
        define("load atomic i32, ptr " + address_text(segment.given_up()) + " monotonic, align 4");
    std::string slow = define("icmp ne i32 " + given_up + ", 0");
    if (segment.follows_mode()) slow = define("or i1 " + slow + ", " + define("xor i1 %is_default, true"));
    if (wave_size_ < kLanes) {  // EXEC may name lanes that the wave has not
      const std::string behind = define("lshr i64 " + define("load i64, ptr %at.exec") + ", " + decimal(wave_size_));
      slow = define("or i1 " + slow + ", " + define("icmp ne i64 " + behind + ", 0"));
    }
    body_ += "  br i1 " + slow + ", label %slow" + id + ", label %fast" + id + ", !prof !2\n";
    label("fast" + id);
    const std::string done = define("call i32 @" + names_[index] + "(ptr %wave, ptr %partial)");
    const std::string whole = define("icmp eq i32 " + done + ", " + decimal(wave_size_));
    body_ += "  br i1 " + whole + ", label %whole" + id + ", label %part" + id + ", !prof !3\n";
    label("part" + id);
    fault_if("call zeroext i1 " + address_text(&RegionState::finish_segment) + "(ptr %wave, ptr %state, ptr " + self +
                 ", ptr " + steps + ", i32 " + done + ", ptr %partial)",
             k);
    body_ += "  br label %after" + id + "\n";
    label("slow" + id);
    fault_if("call zeroext i1 " + address_text(&RegionState::execute_segment) + "(ptr %wave, ptr %state, ptr " + self +
                 ", ptr " + steps + ")",
             k);
    body_ += "  br label %after" + id + "\n";
    label("whole" + id);
    if (segment.lds_reads() != 0) add("%lds", decimal(segment.lds_reads()));
    body_ += "  br label %after" + id + "\n";
    label("after" + id);
  }

  void leave(uint64_t pc) {
    set("%at.pc", pc);
    body_ += "  ret i32 0\n";
  }
  // The label of the run at the address, or of code that leaves the region for it.
  std::string way_to(uint64_t address, std::string& exits) {
    for (size_t k = 0; k < region_.runs.size(); ++k)
      if (address_of(*region_.runs[k]) == address) return "run" + decimal(k);
    const std::string name = "leave" + decimal(next_++);
    exits += name + ":\n  store i64 " + decimal(address) + ", ptr %at.pc\n  ret i32 0\n";
    return name;
  }

  std::string condition_of(const DecodedInstruction& branch) {
    const auto is_zero = [&](const char* at, bool zero, unsigned bits = kLanes) {
      const std::string type = " i" + decimal(bits);
      return define(std::string("icmp ") + (zero ? "eq" : "ne") + type + " " +
                    define("load" + type + ", ptr " + std::string(at)) + ", 0");
    };
    const auto is_scc = [&](unsigned value) {
      return define("icmp eq i8 " + define("load i8, ptr %at.scc") + ", " + decimal(value));
    };
    switch (facts_of(branch.op).branch) {
      case BranchCondition::kScc0:
        return is_scc(0);
      case BranchCondition::kScc1:
        return is_scc(1);
      case BranchCondition::kVccz:  // the upper half of a narrow wave's VCC is a register like any other
        return is_zero("%at.vcc", true, wave_size_);
      case BranchCondition::kVccnz:
        return is_zero("%at.vcc", false, wave_size_);
      case BranchCondition::kExecz:
        return is_zero("%at.exec", true);
      case BranchCondition::kExecnz:
        return is_zero("%at.exec", false);
      default:
        return "true";
    }
  }

  void finish_run(const CodeRun& run, size_t k) {
    const Exit exit = exit_of(run);
    const DecodedInstruction& last = *run.steps.back().instruction;
    if (exit.is_known && !exit.branch && is_scalar_step(last, true)) {
      execute_scalar(last);
    } else if (!exit.branch && last.execute != execute_nothing) {
      set("%at.pc", last.address);
      set("%at.next_pc", exit.is_known ? exit.next : last.address + last.size_bytes);
      execute_steps(run, k, run.steps.size() - 1, run.steps.size());
    }
    std::string exits;
    if (!exit.is_known) {
      body_ += "  store i64 " + define("load i64, ptr %at.next_pc") + ", ptr %at.pc\n  ret i32 0\n";
    } else if (!exit.branch) {
      body_ += "  br label %" + way_to(exit.next, exits) + "\n";
    } else {
      const std::string condition = condition_of(*exit.branch);
      const std::string target = way_to(exit.target, exits), next = way_to(exit.next, exits);
      body_ += "  br i1 " + condition + ", label %" + target + ", label %" + next + "\n";
    }
    body_ += exits;
  }

  const TranslatedRegion& region_;
  const std::vector<std::string>& names_;
  const unsigned wave_size_;
  ModuleText& module_;
  unsigned next_ = 0;
  std::string name_, body_;
};

}  // namespace

std::vector<const CodeRun*> runs_of_region(const CodeRun& first, const FindRun& find) {
  std::vector<const CodeRun*> runs{&first};
  size_t steps = first.steps.size();
  for (size_t k = 0; k < runs.size(); ++k) {
    const Exit exit = exit_of(*runs[k]);
    if (!exit.is_known) continue;
    for (const uint64_t address : {exit.next, exit.branch ? exit.target : exit.next}) {
      const CodeRun* const run = find(address);
      if (!run || std::find(runs.begin(), runs.end(), run) != runs.end()) continue;
      if (runs.size() == kMostRuns || steps + run->steps.size() > kMostSteps) continue;
      steps += run->steps.size();
      runs.push_back(run);
    }
  }
  return runs;
}

RegionText write_region(std::vector<const CodeRun*> runs, unsigned wave_size, const std::string& name,
                        FindInstruction find) {
  RegionText text{std::make_shared<TranslatedRegion>(), {}, name, {}};
  TranslatedRegion& region = *text.region;
  region.runs = std::move(runs);
  Liveness liveness(std::move(find));
  for (size_t k = 0; k < region.runs.size(); ++k) {
    const std::vector<CodeRun::Step>& steps = region.runs[k]->steps;
    for (Segment& segment : find_segments(steps, wave_size)) {
      // The last step of a run is in no segment.
      segment.unread = ~liveness.in_active_lanes(steps[segment.end].instruction->address);
      text.segments.push_back(name + ".segment_" + decimal(text.segments.size()));
      text.module.add(segment, wave_size, text.segments.back(), groups_at_once(segment));
      region.segments.emplace_back(segment, nullptr);
      region.run_of_segment.push_back(k);
    }
  }
  if (!text.segments.empty())
    text.module.add_function(RegionFunction(region, text.segments, wave_size, text.module).write(name));
  return text;
}

}  // namespace kernloop::softgpu
