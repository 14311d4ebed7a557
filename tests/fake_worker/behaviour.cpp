// Strict reading: a misspelt key in a test must not pass for the default.
#include "fake_worker/behaviour.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace transformeter {
namespace {

// Takes keys out of an object one by one; whatever is left at the end is unknown.
class Keys {
 public:
  Keys(std::string_view what, const Json& json) : what_(what), json_(json) {
    if (!json.is_object()) throw bad_value(what, json.dump(), "a JSON object");
  }

  template <typename T>
  void take(const char* name, T& value) {
    known_.emplace_back(name);
    const auto found = json_.find(name);
    if (found == json_.end()) return;
    try {
      found->get_to(value);
    } catch (const Json::exception& error) {
      throw refused_value(fmt::format("{}.{}", what_, name), found->dump(), error.what());
    }
  }

  void finish() const {
    for (const auto& [name, value] : json_.items()) {
      if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
        throw unknown_value(fmt::format("{} key", what_), name, known_);
      }
    }
  }

 private:
  std::string what_;
  Json json_;
  std::vector<std::string> known_;
};

template <typename T>
T word_of(std::string_view what, const std::string& word, const std::vector<std::pair<std::string, T>>& words) {
  std::vector<std::string> allowed;
  for (const auto& [name, value] : words) {
    if (name == word) return value;
    allowed.push_back(name);
  }
  throw unknown_value(what, word, allowed);
}

void check_range(const LatencyShape& shape) {
  const auto check = [](const char* name, double value, bool fits, const char* expected) {
    if (!fits) throw bad_value(fmt::format("latency.{}", name), fmt::format("{}", value), expected);
  };
  check("mean_s", shape.mean_s, shape.mean_s > 0, "a number above 0");
  check("sd_s", shape.sd_s, shape.sd_s >= 0, "at least 0");
  check("rho", shape.rho, shape.rho > -1 && shape.rho < 1, "a number between -1 and 1");
  check("slow_share", shape.slow_share, shape.slow_share > 0 && shape.slow_share < 1, "a number between 0 and 1");
  check("slow_factor", shape.slow_factor, shape.slow_factor > 0, "a number above 0");
  check("spike_rate", shape.spike_rate, shape.spike_rate >= 0 && shape.spike_rate <= 1, "a number from 0 to 1");
}

LatencyShape parse_latency(const Json& json) {
  using Kind = LatencyShape::Kind;
  LatencyShape shape;
  std::string kind = "constant";
  std::vector<std::pair<std::int64_t, double>> steps;
  Keys keys("latency", json);
  keys.take("kind", kind);
  keys.take("mean_s", shape.mean_s);
  keys.take("sd_s", shape.sd_s);
  keys.take("rho", shape.rho);
  keys.take("slow_share", shape.slow_share);
  keys.take("slow_factor", shape.slow_factor);
  keys.take("between_sd_s", shape.between_sd_s);
  keys.take("drift_per_sample", shape.drift_per_sample);
  keys.take("warmup_samples", shape.warmup_samples);
  keys.take("warmup_factor", shape.warmup_factor);
  keys.take("steps", steps);
  keys.take("spike_every", shape.spike_every);
  keys.take("spike_rate", shape.spike_rate);
  keys.take("spike_factor", shape.spike_factor);
  keys.finish();
  shape.kind = word_of<Kind>("latency.kind", kind,
                             {{"constant", Kind::kConstant},
                              {"normal", Kind::kNormal},
                              {"ar1", Kind::kNormal},
                              {"lognormal", Kind::kLognormal},
                              {"gamma", Kind::kGamma},
                              {"bimodal", Kind::kBimodal}});
  for (const auto& [at, factor] : steps) shape.steps.push_back({at, factor});
  check_range(shape);
  return shape;
}

FakeOutputs parse_outputs(const Json& json) {
  FakeOutputs outputs;
  Keys keys("outputs", json);
  keys.take("inputs", outputs.inputs);
  keys.take("width", outputs.width);
  keys.take("error", outputs.error);
  outputs.unmasked_error = outputs.error;
  keys.take("unmasked_error", outputs.unmasked_error);
  keys.finish();
  return outputs;
}

Fault parse_fault(const Json& json) {
  using Kind = Fault::Kind;
  Fault fault;
  std::string kind;
  std::string status(name_of(fault.status));
  Keys keys("fault", json);
  keys.take("kind", kind);
  keys.take("at", fault.at);
  keys.take("after_samples", fault.after_samples);
  keys.take("signal", fault.signal);
  keys.take("code", fault.code);
  keys.take("status", status);
  keys.take("reason", fault.reason);
  keys.take("bytes", fault.bytes);
  keys.take("seconds", fault.seconds);
  keys.take("once", fault.once);
  keys.take("replicates", fault.replicates);
  keys.finish();
  fault.status = status_from_name(status);
  fault.kind = word_of<Kind>("fault.kind", kind,
                             {{"hang", Kind::kHang},
                              {"crash", Kind::kCrash},
                              {"exit", Kind::kExit},
                              {"garbage", Kind::kGarbage},
                              {"other_version", Kind::kOtherVersion},
                              {"malformed", Kind::kMalformed},
                              {"failed", Kind::kFailed},
                              {"eat_memory", Kind::kEatMemory},
                              {"close", Kind::kClose},
                              {"delay", Kind::kDelay}});
  const std::vector<std::string> verbs{"hello",    "describe",     "prepare", "warm",    "measure",
                                       "evaluate", "measure_peak", "predict", "profile", "teardown"};
  if (std::find(verbs.begin(), verbs.end(), fault.at) == verbs.end()) throw unknown_value("fault.at", fault.at, verbs);
  return fault;
}

bool matches(const Json& when, const Json& settings) {
  for (const auto& [name, value] : when.items()) {
    if (!settings.contains(name) || settings[name] != value) return false;
  }
  return true;
}

// The keys of every matching entry of "cases" laid over the rest.
Json with_cases(Json json, const Json& settings) {
  const Json cases = json.value("cases", Json::array());
  json.erase("cases");
  for (Json one : cases) {
    const Json when = one.value("when", Json::object());
    one.erase("when");
    if (matches(when, settings)) json.merge_patch(one);
  }
  return json;
}

}  // namespace

Behaviour parse_behaviour(const Json& json, const Json& settings) {
  if (!json.is_object()) throw bad_value("behaviour", json.dump(), "a JSON object");
  Behaviour behaviour;
  Json latency = Json::object();
  Json step = Json::object();
  Json faults = Json::array();
  Json outputs = Json::object();
  Keys keys("behaviour", with_cases(json, settings));
  keys.take("seed", behaviour.seed);
  keys.take("vary", behaviour.vary);
  keys.take("replicate_folder", behaviour.replicate_folder);
  keys.take("latency", latency);
  keys.take("step", step);
  keys.take("rule", behaviour.rule);
  keys.take("samples", behaviour.samples);
  keys.take("warm_passes", behaviour.warm_passes);
  keys.take("block", behaviour.block);
  keys.take("pace_s", behaviour.pace_s);
  keys.take("cpu_time_s", behaviour.cpu_time_s);
  keys.take("cycle_batches", behaviour.cycle_batches);
  keys.take("capabilities", behaviour.capabilities);
  keys.take("effective", behaviour.effective);
  keys.take("scalars", behaviour.scalars);
  keys.take("peaks", behaviour.peaks);
  keys.take("gpu_profile", behaviour.gpu_profile);
  keys.take("old_profile", behaviour.old_profile);
  keys.take("profiles", behaviour.profiles);
  keys.take("outputs", outputs);
  keys.take("faults", faults);
  keys.finish();
  behaviour.outputs = parse_outputs(outputs);
  behaviour.latency = parse_latency(latency);
  behaviour.step = parse_latency(step);
  for (const Json& fault : faults) behaviour.faults.push_back(parse_fault(fault));
  if (behaviour.block < 1) throw bad_value("behaviour.block", fmt::format("{}", behaviour.block), "at least 1");
  if (behaviour.cycle_batches < 1) {
    throw bad_value("behaviour.cycle_batches", fmt::format("{}", behaviour.cycle_batches), "at least 1");
  }
  return behaviour;
}

}  // namespace transformeter
