// Kineto's events carry all that is needed; they are read before the trace is saved.
#include "measure/kineto_profiler.h"

#include <fmt/format.h>
#include <kineto/ActivityType.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "device/block_recorder.h"
#include "measure/kernel_name.h"
#include "measure/operator_work.h"
#include "model/profile_scope.h"

namespace transformeter {
namespace {

namespace kineto = torch::autograd::profiler;
namespace impl = torch::profiler::impl;

constexpr const char* kMemoryEvent = "[memory]";
constexpr const char* kNoKernels =
    "LibTorch's profiler saw no kernel on the GPU: it needs NVIDIA's library CUPTI, of the version of LibTorch's CUDA, "
    "and a driver that lets this user profile";
// The autograd engine's call of one node of the graph.
constexpr std::string_view kGradientEvent = "autograd::engine::evaluate_function: ";

// Its own events of memory are for the trace: they give no addresses, and its tree of events, which does, needs headers
// that not every LibTorch ships.
impl::ProfilerConfig config_of(const ProfileOptions& options) {
  const bool traces_memory = options.memory && !options.trace_file.empty();
  return impl::ProfilerConfig(impl::ProfilerState::KINETO, options.work, traces_memory, /*with_stack=*/false,
                              /*with_flops=*/false, /*with_modules=*/false);
}

bool is_scope(const kineto::KinetoEvent& event) {
  return event.scope() == static_cast<std::uint8_t>(at::RecordScope::USER_SCOPE);
}

SpanKind kind_of(const kineto::KinetoEvent& event, const std::string& name) {
  if (name.starts_with(kGradientEvent)) return SpanKind::kGradient;
  if (!is_scope(event)) return SpanKind::kOperator;
  if (pass_of_scope(name)) return SpanKind::kPass;
  if (name == kStreamsScope) return SpanKind::kStreams;
  if (name == kEndScope) return SpanKind::kScopeEnd;
  if (stage_of_scope(name)) return SpanKind::kStage;
  return phase_of_scope(name) ? SpanKind::kPhase : SpanKind::kModule;
}

bool is_of_type(const kineto::KinetoEvent& event, std::initializer_list<libkineto::ActivityType> types) {
  return std::any_of(types.begin(), types.end(), [&](libkineto::ActivityType type) {
    return event.activityType() == static_cast<std::uint8_t>(type);
  });
}

// Calls of CUDA and what the profiler does itself lie on the host too, in the calls that they are part of.
bool is_host_span(const kineto::KinetoEvent& event) {
  using enum libkineto::ActivityType;
  return event.deviceType() == c10::DeviceType::CPU && event.name() != kMemoryEvent &&
         is_of_type(event, {CPU_OP, USER_ANNOTATION});
}

// Scopes are repeated on the GPU, around what runs there meanwhile.
bool is_kernel(const kineto::KinetoEvent& event) {
  using enum libkineto::ActivityType;
  return is_of_type(event, {CONCURRENT_KERNEL, GPU_MEMCPY, GPU_MEMSET});
}

ProfiledSpan kernel_of(const kineto::KinetoEvent& event) {
  ProfiledSpan span;
  span.kind = SpanKind::kKernel;
  span.name = kernel_name(event.name());
  span.begin_ns = static_cast<std::int64_t>(event.startNs());
  span.end_ns = static_cast<std::int64_t>(event.endNs());
  span.call = event.linkedCorrelationId();
  return span;
}

ProfiledSpan span_of(const kineto::KinetoEvent& event) {
  ProfiledSpan span;
  span.name = event.name();
  span.kind = kind_of(event, span.name);
  span.thread = event.startThreadId();
  span.begin_ns = static_cast<std::int64_t>(event.startNs());
  span.end_ns = static_cast<std::int64_t>(event.endNs());
  span.graph_node = event.sequenceNr();
  if (!is_scope(event)) span.call = event.correlationId();
  if (span.kind == SpanKind::kPhase) {
    span.name = name_of(*phase_of_scope(span.name));
  } else if (span.kind == SpanKind::kPass) {
    span.name = std::string(*pass_of_scope(span.name));
  } else if (span.kind == SpanKind::kStage) {
    span.name = name_of(*stage_of_scope(span.name));
  } else if (span.kind == SpanKind::kOperator) {
    const OperatorWork work = work_of({span.name, event.shapes().vec(), event.dtypes().vec()});
    span.flops = work.flops;
    span.bytes = work.bytes;
    span.name = readable_name(span.name);
  }
  return span;
}

void add_blocks(const std::vector<RecordedBlock>& blocks, std::vector<ProfiledSpan>& spans) {
  for (const RecordedBlock& block : blocks) {
    ProfiledSpan& span = spans.emplace_back();
    span.kind = SpanKind::kBlock;
    span.thread = block.thread;
    span.begin_ns = span.end_ns = block.time_ns;
    span.address = block.address;
    span.block_bytes = block.bytes;
  }
}

// Kineto tells nobody whether it could write.
void save_trace(kineto::ProfilerResult& result, const std::string& file) {
  result.save(file);
  std::error_code code;
  if (const auto size = std::filesystem::file_size(file, code); !code && size > 0) return;
  throw Error(ErrorKind::kEnvironment, fmt::format("cannot write the trace '{}'", file));
}

}  // namespace

std::vector<ProfiledSpan> profile_with_kineto(const ProfileOptions& options, bool on_gpu,
                                              const std::function<void()>& work) {
  const impl::ProfilerConfig config = config_of(options);
  std::set<impl::ActivityType> activities{impl::ActivityType::CPU};
  if (on_gpu) activities.insert(impl::ActivityType::CUDA);
  std::optional<BlockRecorder> blocks;
  if (options.memory) blocks.emplace();
  kineto::prepareProfiler(config, activities);
  kineto::enableProfiler(config, activities);
  try {
    work();
  } catch (...) {
    kineto::disableProfiler();
    throw;
  }
  const std::unique_ptr<kineto::ProfilerResult> result = kineto::disableProfiler();
  std::vector<ProfiledSpan> spans;
  if (blocks) add_blocks(blocks->stop(), spans);
  spans.reserve(spans.size() + result->events().size());
  bool has_kernels = false;
  for (const kineto::KinetoEvent& event : result->events()) {
    if (on_gpu && is_kernel(event)) {
      has_kernels = true;
      spans.push_back(kernel_of(event));
    } else if (is_host_span(event)) {
      spans.push_back(span_of(event));
    }
  }
  if (on_gpu && !has_kernels) throw Error(ErrorKind::kUnsupported, kNoKernels);
  if (!options.trace_file.empty()) save_trace(*result, options.trace_file);
  return spans;
}

}  // namespace transformeter
