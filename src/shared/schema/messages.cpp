// Packing and unpacking of each message. Unpacking trusts nothing.
#include "schema/messages.h"

#include <fmt/format.h>

#include <concepts>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "schema/whole_field.h"

namespace transformeter {
namespace {

Message with_series(Json header, const std::vector<Series>& series) {
  Message message;
  header["series"] = encode_series(series, message.blob);
  message.header = std::move(header);
  return message;
}

std::vector<Series> series_of(const Message& message) {
  return decode_series(message.header.at("series"), message.blob);
}

template <typename T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

void read(const Json& object, const char* key, std::integral auto& value) {
  value = whole_field<std::remove_reference_t<decltype(value)>>(object.at(key), key);
}

void read(const Json& object, const char* key, std::optional<std::int64_t>& value) {
  const Json& found = object.at(key);
  if (!found.is_null()) value = whole_field<std::int64_t>(found, key);
}

ErrorKind kind_from_name(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(ErrorKind::kInternal); ++i) {
    const auto kind = static_cast<ErrorKind>(i);
    if (name_of(kind) == name) return kind;
  }
  throw Error(ErrorKind::kProtocol, fmt::format("unknown kind of error '{}'", excerpt(name)));
}

void unpack(const Message& message, Hello& hello) {
  message.header.at("program").get_to(hello.program);
  message.header.at("version").get_to(hello.version);
  read(message.header, "pid", hello.pid);
}

void unpack(const Message& message, Described& described) {
  message.header.at("capabilities").get_to(described.capabilities);
  described.build = message.header.at("build");
  for (const Json& family : message.header.at("architectures")) {
    for (const char* key : {"family", "tasks", "presets"}) family.at(key);
    described.architectures.push_back(family);
  }
  message.header.at("gives_outputs").get_to(described.gives_outputs);
  message.header.at("gives_profiles").get_to(described.gives_profiles);
  described.gives_forecasts = message.header.value("gives_forecasts", false);
}

void unpack(const Message& message, PrepareRequest& request) {
  request.settings = message.header.at("settings");
  read(message.header, "spawned_at_ns", request.spawned_at_ns);
  read(message.header, "memory_limit_bytes", request.memory_limit_bytes);
  for (const Json& pid : message.header.at("own_pids")) request.own_pids.push_back(whole_field<int>(pid, "own_pids"));
}

void unpack(const Message& message, Prepared& prepared) {
  prepared.effective = message.header.at("effective");
  prepared.series = series_of(message);
}

void unpack(const Message& message, ForecastRequest& request) {
  request.settings = message.header.at("settings");
}

void unpack(const Message& message, Forecasted& forecasted) {
  forecasted.memory = message.header.at("memory");
}

void unpack(const Message& message, WarmRequest& request) {
  read(message.header, "count", request.count);
}

void unpack(const Message& message, Warmed& warmed) {
  warmed.effective = message.header.at("effective");
  warmed.series = series_of(message);
  message.header.at("cycle_forecast_s").get_to(warmed.cycle_forecast_s);
  read(message.header, "cycle_batches", warmed.cycle_batches);
}

void unpack(const Message& message, MeasureRequest& request) {
  read(message.header, "slice", request.slice);
  read(message.header, "slices", request.slices);
  read(message.header, "exactly", request.exactly);
  message.header.at("limit_s").get_to(request.limit_s);
  message.header.at("limit_is_hard").get_to(request.limit_is_hard);
  read(message.header, "cycle_batches", request.cycle_batches);
  read(message.header, "cycle_examples", request.cycle_examples);
}

void unpack(const Message& message, Measured& measured) {
  message.header.at("stop_reason").get_to(measured.stop_reason);
  measured.effective = message.header.at("effective");
  measured.series = series_of(message);
}

void unpack(const Message& message, EvaluateRequest& request) {
  message.header.at("score").get_to(request.score);
  const Json& outputs = message.header.at("outputs");
  if (outputs.is_null()) return;
  request.outputs.emplace();
  for (const Json& input : outputs.at("inputs")) {
    request.outputs->inputs.push_back(whole_field<std::int64_t>(input, "inputs"));
  }
  outputs.at("attention_mask").get_to(request.outputs->attention_mask);
  outputs.at("plain").get_to(request.outputs->plain);
  read(outputs, "fewest_inputs", request.outputs->fewest_inputs);
  read(outputs, "most_inputs", request.outputs->most_inputs);
  read(outputs, "most_tokens", request.outputs->most_tokens);
  read(outputs, "most_values", request.outputs->most_values);
  read(outputs, "limit_tokens", request.outputs->limit_tokens);
}

void unpack(const Message& message, Evaluating& evaluating) {
  read(message.header, "evaluated", evaluating.evaluated);
  read(message.header, "total", evaluating.total);
}

void unpack(const Message& message, Profiling& profiling) {
  read(message.header, "passes", profiling.passes);
  read(message.header, "total", profiling.total);
}

void unpack(const Message& message, Evaluated& evaluated) {
  std::string_view blob = message.blob;
  const Json& outputs = message.header.at("outputs");
  if (!outputs.is_null()) evaluated.outputs = decode_outputs(outputs, blob);
  evaluated.series = decode_series(message.header.at("series"), blob);
}

void unpack(const Message& message, FineTuneRequest& request) {
  request.options = finetune_options_from_json(message.header.at("options"));
}

void unpack(const Message& message, FineTuningEvent& progress) {
  message.header.at("event").get_to(progress.event);
}

void unpack(const Message& message, FineTuned& finetuned) {
  message.header.at("summary").get_to(finetuned.summary);
}

void unpack(const Message& message, ProfileRequest& request) {
  request.options = profile_options_from_json(message.header.at("options"));
}

void unpack(const Message& message, Profiled& profiled) {
  profiled.profile = profile_from_json(message.header.at("profile"));
}

void unpack(const Message& message, PredictRequest& request) {
  for (const Json& input : message.header.at("inputs")) request.inputs.push_back(prediction_input_from_json(input));
  request.options = prediction_options_from_json(message.header.at("options"));
}

void unpack(const Message& message, Predicted& predicted) {
  for (const Json& one : message.header.at("predictions")) predicted.predictions.push_back(prediction_from_json(one));
  const Json& refused = message.header.at("refused");
  if (refused.is_null()) return;
  predicted.refused.emplace();
  read(refused, "index", predicted.refused->index);
  refused.at("reason").get_to(predicted.refused->reason);
}

void unpack(const Message& message, MeasurePeakRequest& request) {
  message.header.at("quantity").get_to(request.quantity);
  message.header.at("device").get_to(request.device);
  for (const Json& pid : message.header.at("own_pids")) request.own_pids.push_back(whole_field<int>(pid, "own_pids"));
}

void unpack(const Message& message, PeakMeasured& measured) {
  measured.peak = peak_from_json(message.header.at("peak"));
}

void unpack(const Message& message, std::vector<Series>& block) {
  block = series_of(message);
}

void unpack(const Message& message, Failed& failed) {
  failed.status = status_from_name(message.header.at("status").get<std::string>());
  message.header.at("reason").get_to(failed.reason);
  if (const Json& kind = message.header.at("kind"); !kind.is_null()) {
    failed.kind = kind_from_name(kind.get<std::string>());
  }
}

}  // namespace

Message to_message(const Hello& hello) {
  return {{{"type", verb::kHello}, {"program", hello.program}, {"version", hello.version}, {"pid", hello.pid}}, {}};
}

Message to_message(const Described& described) {
  return {{{"type", verb::kDescribed},
           {"capabilities", described.capabilities},
           {"build", described.build},
           {"architectures", described.architectures},
           {"gives_outputs", described.gives_outputs},
           {"gives_profiles", described.gives_profiles},
           {"gives_forecasts", described.gives_forecasts}},
          {}};
}

Message to_message(const PrepareRequest& request) {
  return {{{"type", verb::kPrepare},
           {"settings", request.settings},
           {"spawned_at_ns", request.spawned_at_ns},
           {"memory_limit_bytes", optional_json(request.memory_limit_bytes)},
           {"own_pids", request.own_pids}},
          {}};
}

Message to_message(const Prepared& prepared) {
  return with_series({{"type", verb::kPrepared}, {"effective", prepared.effective}}, prepared.series);
}

Message to_message(const WarmRequest& request) {
  return {{{"type", verb::kWarm}, {"count", optional_json(request.count)}}, {}};
}

Message to_message(const Warmed& warmed) {
  return with_series({{"type", verb::kWarmed},
                      {"effective", warmed.effective},
                      {"cycle_forecast_s", warmed.cycle_forecast_s},
                      {"cycle_batches", warmed.cycle_batches}},
                     warmed.series);
}

Message to_message(const MeasureRequest& request) {
  return {{{"type", verb::kMeasure},
           {"slice", request.slice},
           {"slices", request.slices},
           {"exactly", optional_json(request.exactly)},
           {"limit_s", request.limit_s},
           {"limit_is_hard", request.limit_is_hard},
           {"cycle_batches", optional_json(request.cycle_batches)},
           {"cycle_examples", optional_json(request.cycle_examples)}},
          {}};
}

Message to_message(const Measured& measured) {
  return with_series(
      {{"type", verb::kMeasured}, {"stop_reason", measured.stop_reason}, {"effective", measured.effective}},
      measured.series);
}

Message to_message(const EvaluateRequest& request) {
  Json outputs;
  if (request.outputs) {
    outputs = {{"inputs", request.outputs->inputs},
               {"attention_mask", request.outputs->attention_mask},
               {"plain", request.outputs->plain},
               {"fewest_inputs", request.outputs->fewest_inputs},
               {"most_inputs", request.outputs->most_inputs},
               {"most_tokens", request.outputs->most_tokens},
               {"most_values", request.outputs->most_values},
               {"limit_tokens", request.outputs->limit_tokens}};
  }
  return {{{"type", verb::kEvaluate}, {"score", request.score}, {"outputs", std::move(outputs)}}, {}};
}

Message to_message(const Profiling& profiling) {
  return {{{"type", verb::kProfiling}, {"passes", profiling.passes}, {"total", profiling.total}}, {}};
}

Message to_message(const Evaluating& evaluating) {
  return {{{"type", verb::kEvaluating}, {"evaluated", evaluating.evaluated}, {"total", evaluating.total}}, {}};
}

Message to_message(const Evaluated& evaluated) {
  Message message;
  Json outputs;
  if (evaluated.outputs) outputs = encode_outputs(*evaluated.outputs, message.blob);
  Json series = encode_series(evaluated.series, message.blob);
  message.header = {{"type", verb::kEvaluated}, {"outputs", std::move(outputs)}, {"series", std::move(series)}};
  return message;
}

Message to_message(const ProfileRequest& request) {
  return {{{"type", verb::kProfile}, {"options", to_json(request.options)}}, {}};
}

Message to_message(const Profiled& profiled) {
  return {{{"type", verb::kProfiled}, {"profile", to_json(profiled.profile)}}, {}};
}

Message to_message(const PredictRequest& request) {
  Json inputs = Json::array();
  for (const PredictionInput& input : request.inputs) inputs.push_back(to_json(input));
  return {{{"type", verb::kPredict}, {"inputs", std::move(inputs)}, {"options", to_json(request.options)}}, {}};
}

Message to_message(const FineTuneRequest& request) {
  return {{{"type", verb::kFineTune}, {"options", to_json(request.options)}}, {}};
}

Message to_message(const FineTuningEvent& progress) {
  return {{{"type", verb::kFineTuning}, {"event", progress.event}}, {}};
}

Message to_message(const FineTuned& finetuned) {
  return {{{"type", verb::kFineTuned}, {"summary", finetuned.summary}}, {}};
}

Message to_message(const Predicted& predicted) {
  Json predictions = Json::array();
  for (const Prediction& one : predicted.predictions) predictions.push_back(Json(to_json(one)));
  Json refused;
  if (predicted.refused) refused = {{"index", predicted.refused->index}, {"reason", predicted.refused->reason}};
  return {{{"type", verb::kPredicted}, {"predictions", std::move(predictions)}, {"refused", std::move(refused)}}, {}};
}

Message to_message(const ForecastRequest& request) {
  return {{{"type", verb::kForecast}, {"settings", request.settings}}, {}};
}

Message to_message(const Forecasted& forecasted) {
  return {{{"type", verb::kForecasted}, {"memory", forecasted.memory}}, {}};
}

Message to_message(const MeasurePeakRequest& request) {
  return {{{"type", verb::kMeasurePeak},
           {"quantity", request.quantity},
           {"device", request.device},
           {"own_pids", request.own_pids}},
          {}};
}

Message to_message(const PeakMeasured& measured) {
  return {{{"type", verb::kPeakMeasured}, {"peak", to_json(measured.peak)}}, {}};
}

Message to_message(const Failed& failed) {
  return {{{"type", verb::kFailed},
           {"status", name_of(failed.status)},
           {"reason", failed.reason},
           {"kind", failed.kind ? Json(name_of(*failed.kind)) : Json()}},
          {}};
}

Message samples_message(const std::vector<Series>& block) {
  return with_series({{"type", verb::kSamples}}, block);
}

Message bare_message(const char* type) {
  return {{{"type", type}}, {}};
}

template <typename T>
T from_message(const Message& message) {
  try {
    T value;
    unpack(message, value);
    return value;
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::kProtocol, fmt::format("message '{}' is malformed: {}", message.type(), error.what()));
  }
}

template Hello from_message(const Message&);
template Described from_message(const Message&);
template PrepareRequest from_message(const Message&);
template Prepared from_message(const Message&);
template WarmRequest from_message(const Message&);
template Warmed from_message(const Message&);
template MeasureRequest from_message(const Message&);
template Measured from_message(const Message&);
template EvaluateRequest from_message(const Message&);
template Evaluating from_message(const Message&);
template Profiling from_message(const Message&);
template Evaluated from_message(const Message&);
template FineTuneRequest from_message(const Message&);
template FineTuningEvent from_message(const Message&);
template FineTuned from_message(const Message&);
template ProfileRequest from_message(const Message&);
template Profiled from_message(const Message&);
template PredictRequest from_message(const Message&);
template Predicted from_message(const Message&);
template ForecastRequest from_message(const Message&);
template Forecasted from_message(const Message&);
template MeasurePeakRequest from_message(const Message&);
template PeakMeasured from_message(const Message&);
template Failed from_message(const Message&);
template std::vector<Series> from_message(const Message&);

}  // namespace transformeter
