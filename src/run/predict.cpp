// A session's faults become errors: there is one case, and it is the command.
#include "run/predict.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "host/cpu_list.h"
#include "run/cores.h"
#include "run/launcher.h"
#include "run/prepare_request.h"
#include "run/session.h"
#include "terms/settings.h"

namespace transformeter {
namespace {

// A block travels as one message, whose header holds at most 64 MiB; a character of JSON takes up to 6 bytes.
constexpr std::size_t kLargestBlockBytes = 8U << 20;

ErrorKind kind_of(Status status) {
  switch (status) {
    case Status::kInterrupted:
      return ErrorKind::kInterrupted;
    case Status::kUnsupported:
      return ErrorKind::kUnsupported;
    case Status::kUnsupportedShape:
      return ErrorKind::kUnsupportedShape;
    case Status::kOutOfMemory:
      return ErrorKind::kOutOfMemory;
    case Status::kTimeout:
      return ErrorKind::kTimeout;
    default:
      return ErrorKind::kProtocol;
  }
}

[[noreturn]] void raise_fault(const Session& session) {
  if (!session.fault()) throw Error(ErrorKind::kInternal, "the session ended without a fault");
  const Failed& fault = *session.fault();
  throw Error(fault.is_bad_input ? ErrorKind::kBadInput : kind_of(fault.status), fault.reason);
}

// The value, or the session's fault as an error.
template <typename T>
T answered(const Session& session, std::optional<T> answer) {
  if (!answer) raise_fault(session);
  return std::move(*answer);
}

// What `auto` means before a worker is there.
Json settled(Json settings) {
  if (settings.at("threads") == "auto") settings["threads"] = available_cores(allowed_cpus());
  if (settings.at("precision") == "auto") settings["precision"] = "fp32";
  return settings;
}

void settle_device(Json& settings, const Capabilities& capabilities) {
  if (settings.at("device") == "auto") settings["device"] = capabilities.best_device();
}

void settle_engine(Json& settings, const Capabilities& capabilities) {
  settings.emplace("engine", setting_term("engine").initial);
  capabilities.take_choices_of_engine(settings);
  if (settings.value("streams", Json()) == "threads") settings["streams"] = settings.at("threads");
}

void check_capabilities(const Json& settings, const Capabilities& capabilities) {
  if (const auto reason = capabilities.why_not_all(settings)) throw Error(ErrorKind::kUnsupported, *reason);
}

std::size_t bytes_of(const PredictionInput& input) {
  return input.text.size() + (input.text_pair ? input.text_pair->size() : 0);
}

// The inputs from `begin` on that go in one message.
std::vector<PredictionInput> block_of(const std::vector<PredictionInput>& inputs, std::size_t begin, std::size_t most) {
  std::vector<PredictionInput> block;
  std::size_t bytes = 0;
  for (std::size_t i = begin; i < inputs.size() && block.size() < most; ++i) {
    bytes += bytes_of(inputs[i]);
    if (bytes > kLargestBlockBytes && !block.empty()) break;
    if (bytes > kLargestBlockBytes) {
      throw Error(ErrorKind::kBadInput, fmt::format("input {} (from 0): the text has {} bytes; at most {} are allowed",
                                                    i, bytes, kLargestBlockBytes));
    }
    block.push_back(inputs[i]);
  }
  return block;
}

// One worker from start to end; each step throws its fault.
class Asking {
 public:
  Asking(const Context& context, const PredictJob& job)
      : job_(job), settings_(settled(job.settings)), session_(context, session_options()) {}

  Json prepare() {
    answered(session_, session_.hello());
    const Capabilities capabilities = answered(session_, session_.describe()).capabilities;
    settle_device(settings_, capabilities);
    settle_engine(settings_, capabilities);
    check_capabilities(settings_, capabilities);
    Json effective = settings_;
    effective.update(
        answered(session_, session_.prepare(prepare_request(settings_, session_, memory_limit_))).effective);
    return effective;
  }

  void predict(const std::vector<PredictionInput>& inputs, PredictionSink& sink) {
    const auto batch_size = settings_.at("batch_size").get<std::size_t>();
    for (std::size_t begin = 0; begin < inputs.size();) {
      PredictRequest request{block_of(inputs, begin, batch_size), job_.options};
      const std::size_t asked = request.inputs.size();
      const Predicted predicted = answered(session_, session_.predict(request));
      const std::size_t expected = predicted.refused ? predicted.refused->index : asked;
      if (predicted.predictions.size() != expected || expected > asked) {
        throw Error(ErrorKind::kProtocol,
                    fmt::format("the worker gave {} answers to {} inputs", predicted.predictions.size(), asked));
      }
      for (std::size_t i = 0; i < expected; ++i) sink.add(begin + i, predicted.predictions[i]);
      if (predicted.refused) {
        throw Error(ErrorKind::kBadInput,
                    fmt::format("input {} (from 0): {}", begin + expected, predicted.refused->reason));
      }
      begin += asked;
    }
  }

  void end() {
    if (!session_.teardown()) raise_fault(session_);
  }

 private:
  SessionOptions session_options() {
    memory_limit_ = worker_memory_limit(settings_);
    SessionOptions options;
    options.worker = job_.worker;
    options.launch = launch_of(settings_, LaunchHost{});
    options.timeout = job_.worker_timeout;
    options.memory_limit_bytes = memory_limit_;
    options.interrupt = job_.interrupt;
    return options;
  }

  const PredictJob& job_;
  Json settings_;
  std::optional<std::int64_t> memory_limit_;
  Session session_;
};

}  // namespace

void predict(const Context& context, const PredictJob& job, const std::vector<PredictionInput>& inputs,
             PredictionSink& sink) {
  Asking asking(context, job);
  sink.begin(asking.prepare());
  asking.predict(inputs, sink);
  asking.end();
}

}  // namespace transformeter
