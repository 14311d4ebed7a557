// The session's verbs, one function each.
#include "session/session.h"

#include <fmt/format.h>

#include <unistd.h>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/version.h"
#include "device/devices.h"
#include "device/runtime.h"
#include "engine/backends.h"
#include "engine/capabilities.h"
#include "machine/limits.h"
#include "measure/case_forecast.h"
#include "measure/launch_readback.h"
#include "measure/matrix_products.h"
#include "measure/measurement.h"
#include "measure/out_of_memory.h"
#include "measure/parts.h"
#include "measure/peaks.h"
#include "measure/training.h"
#include "schema/messages.h"
#include "session/fine_tuning.h"
#include "session/fine_tuning_data.h"
#include "session/prediction.h"
#include "spec/foreign_architecture.h"

namespace transformeter {
namespace {

Described describe_worker(const WorkerParts& parts) {
  const Architectures& architectures = parts.models.architectures();
  Described described;
  described.capabilities = inference_capabilities();
  described.capabilities.values["family"] = architectures.families();
  described.capabilities.values["task"] = parts.models.tasks();
  for (const ScenarioName& known : kScenarioNames) {
    described.capabilities.values["scenario"].emplace_back(known.name);
  }
  described.capabilities.values["peak_precision"] = product_precisions();
  described.capabilities.native["peak_precision"] = native_product_precisions();
  if (const auto precisions = gpu_product_precisions(); !precisions.empty()) {
    described.capabilities.values["peak_precision@cuda"] = precisions;
    described.capabilities.native["peak_precision@cuda"] = native_gpu_product_precisions();
  }
  for (const std::string& family : architectures.families()) {
    if (builtin_architectures().find(family)) continue;
    described.architectures.push_back(described_architecture(*architectures.find(family)));
  }
  described.gives_outputs = true;
  described.gives_profiles = true;
  described.gives_forecasts = true;
  described.build = describe_runtime();
  if (!devices_here().descriptions.empty()) described.build["devices"] = devices_here().descriptions;
  if (Json plugins = backend_hashes(); !plugins.empty()) described.build["plugins"] = std::move(plugins);
  described.build["version"] = program_version();
  described.build["git_commit"] = git_commit();
  return described;
}

constexpr std::chrono::milliseconds kSessionTimeout = std::chrono::hours(24);
constexpr int kFirstToBeKilled = 1000;

class Session {
 public:
  Session(Channel& channel, const Context& context, const WorkerParts& parts)
      : channel_(channel), context_(context), parts_(parts) {}

  /// False when the session is over.
  bool answer(const Message& message) {
    const std::string type = message.type();
    if (type == verb::kDescribe) {
      send(to_message(describe_worker(parts_)));
    } else if (type == verb::kPrepare) {
      prepare(from_message<PrepareRequest>(message));
    } else if (type == verb::kForecast) {
      forecast(from_message<ForecastRequest>(message));
    } else if (type == verb::kWarm) {
      warm(from_message<WarmRequest>(message));
    } else if (type == verb::kMeasure) {
      measure(from_message<MeasureRequest>(message));
    } else if (type == verb::kEvaluate) {
      evaluate(from_message<EvaluateRequest>(message));
    } else if (type == verb::kProfile) {
      send(to_message(measurement().profile(from_message<ProfileRequest>(message),
                                            [this](const Profiling& progress) { send(to_message(progress)); })));
    } else if (type == verb::kFineTune) {
      finetune(from_message<FineTuneRequest>(message));
    } else if (type == verb::kPredict) {
      predict(from_message<PredictRequest>(message));
    } else if (type == verb::kMeasurePeak) {
      const auto request = from_message<MeasurePeakRequest>(message);
      send(to_message(PeakMeasured{measure_peak(request, context_.clock)}));
    } else if (type == verb::kTeardown) {
      send(bare_message(verb::kTornDown));
      return false;
    } else {
      throw Error(ErrorKind::kProtocol, fmt::format("message '{}' is not a request", type));
    }
    return true;
  }

  void send(const Message& message) { channel_.send(message.header, message.blob); }

 private:
  Measurement& measurement() {
    if (!measurement_) throw Error(ErrorKind::kProtocol, "prepare with data must come before measuring");
    return *measurement_;
  }

  void prepare(const PrepareRequest& request) {
    set_oom_score_adjustment(kFirstToBeKilled);
    if (request.memory_limit_bytes) apply_memory_limit(*request.memory_limit_bytes);
    apply_interop_threads(request.settings);
    const Case the_case = worker_case_from(request.settings);
    measurement_.reset();
    predictor_.reset();
    fine_tuned_.reset();
    if (the_case.is_finetune()) {
      fine_tuned_ = the_case;  // how its data is divided comes with the verb
      send(to_message(Prepared{}));
    } else if (the_case.has_data()) {
      measurement_ = prepare_measurement(the_case, request, context_, parts_);
      send(to_message(measurement_->prepared()));
    } else {
      predictor_.emplace(the_case, context_, parts_);
      send(to_message(predictor_->prepared()));
    }
  }

  // What keeps a case from running is its own matter: the next one may be asked for.
  void forecast(const ForecastRequest& request) {
    Forecasted forecasted;
    try {
      forecasted.memory = forecast_case(worker_case_from(request.settings), context_, parts_);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kProtocol) throw;
      forecasted.memory = {{"reason", error.what()}};
    }
    send(to_message(forecasted));
  }

  void finetune(const FineTuneRequest& request) {
    if (!fine_tuned_) throw Error(ErrorKind::kProtocol, "prepare for finetune must come before finetune");
    FineTuningData data;
    const auto tell = [this](const Json& event) { send(to_message(FineTuningEvent{event})); };
    const Json alive = {{"event", "alive"}};
    Training training = load_training(*fine_tuned_, context_, parts_, [&](const Training& begun) {
      tell(alive);
      data = read_fine_tuning_data(begun, context_, request.options, [&] { tell(alive); });
      tell(alive);
      return std::move(data.rows);
    });
    FineTuning fine_tuning(std::move(training), std::move(data.validation), request.options, context_.clock, tell);
    send(to_message(FineTuned{fine_tuning.run()}));
  }

  void predict(const PredictRequest& request) {
    if (!predictor_) throw Error(ErrorKind::kProtocol, "prepare without data must come before predict");
    send(to_message(predictor_->predict(request)));
  }

  void warm(const WarmRequest& request) { send(to_message(measurement().warm(request))); }

  void measure(const MeasureRequest& request) {
    send(to_message(
        measurement().measure(request, [this](const std::vector<Series>& block) { send(samples_message(block)); })));
  }

  void evaluate(const EvaluateRequest& request) {
    send(to_message(
        measurement().evaluate(request, [this](const Evaluating& progress) { send(to_message(progress)); })));
  }

  Channel& channel_;
  const Context& context_;
  const WorkerParts& parts_;
  // One of them, as prepare was asked.
  std::unique_ptr<Measurement> measurement_;
  std::optional<Predictor> predictor_;
  std::optional<Case> fine_tuned_;
};

// The library's first line from where it names the allocator, without its place in the library's sources.
std::string out_of_memory_text(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  const std::size_t allocator = line.find("DefaultCPUAllocator");
  return fmt::format("an allocation failed: {}; try a higher memory_limit or a smaller case",
                     allocator == std::string::npos ? line : line.substr(allocator));
}

Failed failure_from_current_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return {status_of(error.kind()), error.what(), error.kind()};
  } catch (const std::exception& error) {
    const std::string text = error.what();
    if (is_out_of_memory(error)) return {Status::kOutOfMemory, out_of_memory_text(text), ErrorKind::kOutOfMemory};
    return {Status::kFailed, text.substr(0, text.find('\n')), {}};
  }
}

}  // namespace

void serve_session(Channel& channel, const Context& context, const WorkerParts& parts) {
  Session session(channel, context, parts);
  session.send(to_message(Hello{"transformeter-worker", std::string(program_version()), static_cast<int>(::getpid())}));
  Message message;
  while (channel.receive(message, kSessionTimeout) == Channel::Outcome::kMessage) {
    try {
      if (!session.answer(message)) return;
    } catch (...) {
      session.send(to_message(failure_from_current_exception()));
      return;
    }
  }
}

}  // namespace transformeter
