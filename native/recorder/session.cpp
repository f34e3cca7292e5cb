#include "recorder/session.h"

#include "recorder/protocol_error.h"

namespace kernloop::recorder {
namespace {

using archive::Json;
using protocol::FrameType;

constexpr int kIdleMs = 1000;
constexpr size_t kMaxQueues = 65536;  // queues whose device is remembered
// After the app's end, an agent in the middle of a capture that is silent for this long counts as dead.
constexpr std::chrono::seconds kDrainLimit{10};

Json regions_json(const std::vector<protocol::RegionMessage>& regions) {
  Json json = Json::array();
  for (const protocol::RegionMessage& region : regions) {
    json.push_back({{"base", to_hex_number(region.base)},
                    {"size", region.size},
                    {"api", region.api},
                    {"allocation_ordinal", region.ordinal}});
  }
  return json;
}

CaptureKey key_of(const CaptureAssembly& assembly) {
  return {assembly.message().selection, assembly.message().ordinal};
}

// Decodes a message and hands it on; a frame that is not exactly one message is a breach.
template <typename Message, typename Use>
Status with(std::span<const uint8_t> payload, Use&& use) {
  const auto message = Message::decode(payload);
  if (!message) return protocol_error("a frame that cannot be decoded");
  return use(*message);
}

}  // namespace

void Session::run() {
  if (!welcome()) return;
  shared_.totals.add_process();
  shared_.events.print(RecorderEvent::process, identity_json(link_->pid(), link_->process()));
  consume();
  const Error why =
      shared_.stopping.load()
          ? Error{"INTERRUPTED", "the recorder was stopped in the middle of the capture", "capture again"}
          : Error{"AGENT_LOST", "process " + std::to_string(link_->pid()) + " ended in the middle of the capture",
                  "see why the program ended; the capture needs it to go on"};
  give_up(why);
  count();
  shared_.events.print(RecorderEvent::process_end, {{"pid", link_->pid()}});
}

void Session::give_up(const Error& why) {
  while (!assemblies_.empty()) {
    const auto& [capture, assembly] = *assemblies_.begin();
    const std::string lost = std::to_string(assembly->pre_bytes());
    (void)fail(capture,
               {why.code, why.message + "; the " + lost + " bytes of it that had come are not kept", why.hint});
  }
}

bool Session::welcome() {
  protocol::Welcome answer;
  answer.mode = shared_.config.mode;
  answer.drain_limit_ms = shared_.config.drain_limit_ms;
  answer.run_limit_ms = shared_.config.run_limit_ms;
  for (const Selection& selection : shared_.config.selections) {
    answer.selections.push_back(selection.request);
    // A dry run also reports captures beyond the budget.
    if (shared_.config.dry_run) answer.selections.back().byte_budget = 0;
  }
  return link_->answer(answer.encode());
}

void Session::consume() {
  uint32_t type = 0;
  std::vector<uint8_t> payload;
  auto last_frame = std::chrono::steady_clock::now();
  while (!shared_.stopping.load()) {
    const bool draining = shared_.draining.load();
    switch (link_->next(&type, &payload, draining ? 50 : kIdleMs, draining ? -1 : shared_.wake)) {
      case AgentLink::Event::kClosed:
        return;
      case AgentLink::Event::kCorrupt:
        shared_.events.print(
            RecorderEvent::note,
            {{"code", "AGENT_PROTOCOL"}, {"pid", link_->pid()}, {"text", "the agent's ring holds garbage"}});
        return;
      case AgentLink::Event::kIdle:
        if (goodbye_) return;
        // The app has ended; a connected agent may finish a capture, no more.
        if (draining && (assemblies_.empty() || std::chrono::steady_clock::now() - last_frame > kDrainLimit)) return;
        break;
      case AgentLink::Event::kFrame:
        last_frame = std::chrono::steady_clock::now();
        if (const Status handled = handle(static_cast<FrameType>(type), payload); !handled) {
          const Error& error = handled.error();
          shared_.events.print(RecorderEvent::note,
                               {{"code", error.code}, {"pid", link_->pid()}, {"text", error.message}});
          return;
        }
        break;
    }
  }
}

Status Session::handle(FrameType type, std::span<const uint8_t> payload) {
  switch (type) {
    case FrameType::kQueue:
      return with<protocol::QueueMessage>(payload,
                                          [&](const auto& message) { return on_queue(message), Status(Unit{}); });
    case FrameType::kCodeObject:
      return with<protocol::CodeObjectMessage>(payload,
                                               [&](const auto& message) { return kernels_.begin_object(message); });
    case FrameType::kCodeObjectBytes:
      return on_object_bytes(payload);
    case FrameType::kPre:
    case FrameType::kPost:
      return on_bulk(type, payload);
    case FrameType::kKernel:
      return with<protocol::KernelMessage>(payload, [&](const auto& message) { return on_kernel(message); });
    case FrameType::kMatch:
      return with<protocol::MatchMessage>(payload, [&](const auto& message) {
        protocol::MatchReply reply{message.request, {}};
        for (const std::string& symbol : message.symbols) reply.selections.push_back(kernels_.matching(symbol).any());
        link_->answer(reply.encode());
        return Status(Unit{});
      });
    case FrameType::kBegin:
      return with<protocol::BeginMessage>(payload, [&](const auto& message) { return on_begin(message); });
    case FrameType::kKernarg:
      return with<protocol::KernargMessage>(payload, [&](const auto& message) {
        return feed(message.capture, [&](CaptureAssembly& assembly) { return assembly.kernarg(message); });
      });
    case FrameType::kScope:
      return with<protocol::ScopeMessage>(payload, [&](const auto& message) {
        return feed(message.capture, [&](CaptureAssembly& assembly) { return assembly.scope(message); });
      });
    case FrameType::kTotal:
      return with<protocol::TotalMessage>(payload, [&](const auto& message) {
        return feed(message.capture,
                    [&](CaptureAssembly& assembly) { return assembly.total(message), Status(Unit{}); });
      });
    case FrameType::kRegion:
      return with<protocol::RegionMessage>(payload, [&](const auto& message) {
        return feed(message.capture, [&](CaptureAssembly& assembly) { return assembly.region(message); });
      });
    case FrameType::kOutside:
    case FrameType::kViolation:
      return with<protocol::RegionMessage>(payload, [&](const auto& message) {
        return feed(message.capture, [&](CaptureAssembly& assembly) {
          return type == FrameType::kOutside ? assembly.outside(message) : assembly.violation(message);
        });
      });
    case FrameType::kCommit:
      return with<protocol::CommitMessage>(payload, [&](const auto& message) { return on_commit(message); });
    case FrameType::kAbort:
      return with<protocol::AbortMessage>(payload,
                                          [&](const auto& message) { return on_abort(message), Status(Unit{}); });
    case FrameType::kProfile:
      return with<protocol::ProfileMessage>(payload, [&](const auto& message) {
        const KernelRecord* kernel = kernels_.find(message.kernel);
        if (kernel == nullptr) return Status(protocol_error("a sample of an unknown kernel"));
        shared_.profile.add(*kernel, message);
        return Status(Unit{});
      });
    case FrameType::kNote:
      return with<protocol::NoteMessage>(payload, [&](const auto& message) {
        shared_.events.print(RecorderEvent::note,
                             {{"code", message.code}, {"pid", link_->pid()}, {"text", message.text}});
        return Status(Unit{});
      });
    case FrameType::kGoodbye:
      goodbye_ = true;
      return Unit{};
  }
  return protocol_error("a frame of type " + std::to_string(static_cast<uint32_t>(type)));
}

void Session::on_queue(const protocol::QueueMessage& message) {
  shared_.totals.add_queue();
  ++queues_;
  if (devices_.size() < kMaxQueues) devices_[message.index] = {message.agent_name, message.isa, message.wavefront_size};
  shared_.events.print(
      RecorderEvent::queue,
      {{"pid", link_->pid()}, {"queue", message.index}, {"device", message.agent_name}, {"isa", message.isa}});
}

Status Session::on_kernel(const protocol::KernelMessage& message) {
  auto added = kernels_.add(message);
  if (!added) return added.error();
  const KernelRecord& kernel = **added;
  shared_.events.print(RecorderEvent::kernel, {{"pid", link_->pid()},
                                               {"name", kernel.demangled},
                                               {"symbol", kernel.symbol},
                                               {"code_object", kernel.code_object_hex()}});
  link_->answer(
      protocol::KernelReply{message.request, kernel.wanted.selections, kernel.wanted.gates, kernel.identity}.encode());
  return Unit{};
}

OutputFolder* Session::begin_selection(const protocol::BeginMessage& message, const KernelRecord& kernel) {
  pid_t owner = 0;
  OutputFolder* folder = shared_.board.begin({message.selection, message.ordinal}, link_->pid(), &owner);
  if (folder == nullptr && owner != link_->pid()) {
    shared_.events.print(RecorderEvent::also_matched, {{"id", shared_.config.selections[message.selection].id},
                                                       {"pid", link_->pid()},
                                                       {"kernel", kernel.demangled},
                                                       {"ordinal", message.ordinal},
                                                       {"captured_by", owner}});
  }
  return folder;
}

Status Session::on_begin(const protocol::BeginMessage& message) {
  const KernelRecord* kernel = kernels_.find(message.kernel);
  if (kernel == nullptr || message.selection >= shared_.config.selections.size() ||
      assemblies_.contains(message.capture)) {
    return protocol_error("a capture that cannot begin");
  }
  protocol::BeginReply reply;
  const CaptureKey key{message.selection, message.ordinal};
  if (OutputFolder* folder = begin_selection(message, *kernel)) {
    shared_.events.print(RecorderEvent::matched, {{"id", shared_.config.selections[message.selection].id},
                                                  {"pid", link_->pid()},
                                                  {"kernel", kernel->demangled},
                                                  {"ordinal", message.ordinal},
                                                  {"widened", message.widened}});
    if (kernel->object == nullptr) {
      shared_.board.refused(key, {"CODE_OBJECT_UNREADABLE",
                                  "the code object of " + kernel->demangled + " could not be read" +
                                      (kernel->unreadable.empty() ? "" : ": " + kernel->unreadable),
                                  "the agent's log and the note events say why"});
    } else if (const auto obstacle = obstacle_in_code(*kernel)) {
      shared_.board.refused(key, *obstacle);
    } else {
      auto assembly = CaptureAssembly::begin(shared_.config, *folder, *kernel, devices_[message.queue], message,
                                             identity_json(link_->pid(), link_->process()));
      if (assembly) {
        reply = (*assembly)->reply();
        warn_of_device_heap(*kernel);
        warn_of_unknown_code(*kernel);
        assemblies_[message.capture] = std::move(*assembly);
      } else {
        shared_.board.refused(key, assembly.error());
      }
    }
  }
  reply.request = message.request;
  link_->answer(reply.encode());
  return Unit{};
}

Status Session::on_object_bytes(std::span<const uint8_t> payload) {
  std::span<const uint8_t> bytes;
  const auto header = protocol::BulkHeader::decode(payload, &bytes);
  if (!header) return protocol_error("a bulk frame that cannot be decoded");
  return kernels_.append_object(*header, bytes);
}

void Session::warn_of_device_heap(const KernelRecord& kernel) {
  if (kernel.metadata == nullptr || !kernel.metadata->cubin || !kernel.metadata->cubin->uses_device_heap) return;
  shared_.events.print(
      RecorderEvent::note,
      {{"code", "DEVICE_HEAP"},
       {"pid", link_->pid()},
       {"text", kernel.demangled + " uses malloc or free of the GPU: what earlier kernels allocated there is the "
                                   "driver's, and not in the capture"}});
}

void Session::warn_of_unknown_code(const KernelRecord& kernel) {
  if (kernel.metadata == nullptr || !kernel.metadata->cubin || kernel.metadata->cubin->uses_textures) return;
  shared_.events.print(
      RecorderEvent::note,
      {{"code", "TEXTURES_UNKNOWN"},
       {"pid", link_->pid()},
       {"text", "whether " + kernel.demangled + " uses textures or surfaces does not show in code for " +
                    kernel.object->info->target +
                    ": they are not in the capture, and the self-check fails if it does"}});
}

Status Session::on_bulk(FrameType type, std::span<const uint8_t> head) {
  std::span<const uint8_t> nothing;
  const auto header = protocol::BulkHeader::decode(head, &nothing);
  if (!header) return protocol_error("a bulk frame that cannot be decoded");
  return feed(header->capture, [&](CaptureAssembly& assembly) {
    const Status taken =
        type == FrameType::kPre ? assembly.pre(*header, link_->bulk()) : assembly.post(*header, link_->bulk());
    if (taken) report_progress(assembly);
    return taken;
  });
}

CaptureAssembly* Session::find(uint32_t capture) {
  const auto found = assemblies_.find(capture);
  return found != assemblies_.end() ? found->second.get() : nullptr;
}

template <typename Use>
Status Session::feed(uint32_t capture, Use&& use) {
  CaptureAssembly* assembly = find(capture);
  if (assembly == nullptr) return Unit{};
  const Status done = use(*assembly);
  return done ? done : fail(capture, done.error());
}

Status Session::fail(uint32_t capture, const Error& why) {
  const CaptureKey key = key_of(*find(capture));
  assemblies_.erase(capture);
  shared_.board.refused(key, why);
  if (why.code == "AGENT_PROTOCOL") return why;
  return Unit{};
}

Status Session::on_commit(const protocol::CommitMessage& message) {
  CaptureAssembly* assembly = find(message.capture);
  if (assembly == nullptr) return Unit{};
  auto committed = assembly->commit(message);
  if (!committed) return fail(message.capture, committed.error());
  const CaptureKey key = key_of(*assembly);
  const KernelRecord* kernel = kernels_.find(assembly->message().kernel);
  Json plan = shared_.config.dry_run ? assembly->plan() : Json();
  assemblies_.erase(message.capture);
  Json event = {{"bytes_raw", committed->bytes_raw},
                {"bytes_stored", committed->bytes_stored},
                {"regions", committed->regions},
                {"bytes_tracked", committed->bytes_tracked},
                {"kernel", kernel->demangled},
                {"symbol", kernel->symbol},
                {"code_object", kernel->code_object_hex()},
                {"geometry", archive::to_json(committed->geometry)}};
  if (shared_.config.dry_run) event["plan"] = std::move(plan);
  if (committed->wave_instructions) event["wave_instructions"] = *committed->wave_instructions;
  shared_.board.captured(key, std::move(event));
  return Unit{};
}

void Session::on_abort(const protocol::AbortMessage& message) {
  const CaptureAssembly* assembly = find(message.capture);
  if (assembly == nullptr) return;
  const CaptureKey key = key_of(*assembly);
  const KernelRecord* kernel = kernels_.find(assembly->message().kernel);
  Json violation = {{"regions", regions_json(assembly->violations())},
                    {"symbol", kernel->symbol},
                    {"code_object", kernel->code_object_hex()},
                    {"geometry", archive::to_json(assembly->geometry())}};
  assemblies_.erase(message.capture);
  const Error why = with_cause({message.code, message.reason, message.hint}, *kernel);
  if (!violation["regions"].empty()) {
    shared_.board.violated(key, std::move(violation), why);
  } else {
    shared_.board.refused(key, why);
  }
}

void Session::report_progress(const CaptureAssembly& assembly) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_progress_ < std::chrono::seconds(1)) return;
  last_progress_ = now;
  const CaptureProgress progress = assembly.progress();
  Json event = {{"id", shared_.config.selections[assembly.message().selection].id},
                {"pid", link_->pid()},
                {"phase", progress.is_after ? "after" : "before"},
                {"bytes", progress.bytes}};
  if (progress.total) event["total_bytes"] = *progress.total;
  shared_.events.print(RecorderEvent::capturing, std::move(event));
}

void Session::count() {
  ProcessTotals totals{link_->pid(), link_->process(), queues_, link_->dispatches(), {}, {}};
  for (const auto& [id, kernel] : kernels_.all()) {
    totals.kernels.push_back({kernel.demangled, kernel.symbol, kernel.code_object_hex(), link_->kernel_dispatches(id)});
  }
  for (uint32_t i = 0; i < shared_.config.selections.size(); ++i) totals.matches.push_back(link_->matches(i));
  shared_.totals.add(std::move(totals));
}

}  // namespace kernloop::recorder
