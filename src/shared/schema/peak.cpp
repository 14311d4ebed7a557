// Peaks as JSON, and finding the one that holds for a place.
#include "schema/peak.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "schema/whole_field.h"

namespace transformeter {
namespace {

Json point_json(const PeakPoint& point) {
  return {{"kernel", point.kernel}, {"shape", point.shape}, {"rate", point.rate}};
}

PeakPoint point_from_json(const Json& json) {
  PeakPoint point;
  json.at("kernel").get_to(point.kernel);
  for (const Json& size : json.at("shape")) point.shape.push_back(whole_field<std::int64_t>(size, "shape"));
  json.at("rate").get_to(point.rate);
  return point;
}

Json number_or_null(const std::optional<double>& number) {
  return number ? Json(*number) : Json();
}

std::optional<Estimate> estimate_from_json(const Json& json) {
  if (json.at("value").is_null()) return std::nullopt;
  Estimate estimate;
  json.at("value").get_to(estimate.value);
  estimate.n = whole_field<std::size_t>(json.at("n"), "n");
  if (!json.at("low").is_null()) estimate.interval = Interval{json.at("low"), json.at("high")};
  return estimate;
}

}  // namespace

std::string gemm_peak(std::string_view precision) {
  return fmt::format("gemm_{}", precision);
}

bool is_bandwidth(std::string_view quantity) {
  return quantity == kBandwidthPeak || quantity == kReadBandwidthPeak;
}

std::string peak_rate_text(double rate, std::string_view quantity) {
  const PrefixedNumber prefixed = with_decimal_prefix(rate);
  const char* unit = is_bandwidth(quantity) ? "B/s" : quantity == gemm_peak("int8") ? "OP/s" : "FLOP/s";
  return fmt::format("{} {}{}", format_number(prefixed.number), prefixed.prefix, unit);
}

// Raised when peaks are measured in another way, so that earlier ones are measured again: 2 has all threads in the
// bandwidth's loops, and huge pages; 3 tries MKL's packed products; 4 tries those of bf16 in fp32.
constexpr int kMethod = 4;

std::string peak_runtime(const Json& build, const std::string& device) {
  const auto word = [&](const char* name) { return build.value(name, std::string("unknown")); };
  const std::string libraries =
      fmt::format("LibTorch {}, oneDNN {}, method {}", word("libtorch"), word("onednn"), kMethod);
  const Json::json_pointer description = Json::json_pointer("/devices") / device;
  return build.contains(description) ? fmt::format("{}, {}", build.at(description).get<std::string>(), libraries)
                                     : libraries;
}

const PeakRecord* find_peak(const std::vector<PeakRecord>& records, const PeakPlace& place, std::string_view quantity) {
  const auto found = std::find_if(records.begin(), records.end(), [&](const PeakRecord& record) {
    return record.place == place && record.peak.quantity == quantity;
  });
  return found == records.end() ? nullptr : &*found;
}

PeakRecord best_of(const PeakRecord& first, const PeakRecord& second) {
  if (!second.peak.rate) return first.peak.rate ? first : second;
  if (!first.peak.rate) return second;
  PeakRecord best = second.peak.rate->value >= first.peak.rate->value ? second : first;
  const std::optional<double>& one = first.peak.foreign_load;
  const std::optional<double>& other = second.peak.foreign_load;
  best.peak.foreign_load = one && other ? std::min(*one, *other) : one ? one : other;
  return best;
}

Json to_json(const Peak& peak) {
  Json json = {{"quantity", peak.quantity},
               {"value", nullptr},
               {"low", nullptr},
               {"high", nullptr},
               {"n", 0},
               {"reason", peak.reason},
               {"best", peak.best ? point_json(*peak.best) : Json()},
               {"points", Json::array()},
               {"notes", peak.notes},
               {"foreign_load", number_or_null(peak.foreign_load)}};
  if (peak.rate) {
    json["value"] = peak.rate->value;
    json["n"] = peak.rate->n;
    if (peak.rate->interval) {
      json["low"] = peak.rate->interval->low;
      json["high"] = peak.rate->interval->high;
    }
  }
  for (const PeakPoint& point : peak.points) json["points"].push_back(point_json(point));
  return json;
}

Peak peak_from_json(const Json& json) {
  Peak peak;
  json.at("quantity").get_to(peak.quantity);
  peak.rate = estimate_from_json(json);
  json.at("reason").get_to(peak.reason);
  if (!json.at("best").is_null()) peak.best = point_from_json(json.at("best"));
  for (const Json& point : json.at("points")) peak.points.push_back(point_from_json(point));
  json.at("notes").get_to(peak.notes);
  if (!json.at("foreign_load").is_null()) peak.foreign_load = json.at("foreign_load").get<double>();
  return peak;
}

Json to_json(const PeakRecord& record) {
  Json json = to_json(record.peak);
  json["fingerprint"] = record.place.fingerprint;
  json["runtime"] = record.place.runtime;
  json["device"] = record.place.device;
  json["threads"] = record.place.threads;
  json["measured_at"] = record.measured_at;
  return json;
}

}  // namespace transformeter
