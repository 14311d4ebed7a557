// Keys and defaults follow transformers/models/wav2vec2/feature_extraction_wav2vec2.py of Transformers 5.23.
#include "audio/feature_extractor.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace transformeter {
namespace {

constexpr std::string_view kClass = "Wav2Vec2FeatureExtractor";
constexpr std::int64_t kHighestModelRate = 192'000;

Error feature_fault(const Json& config, const std::string& where, const char* key, std::string_view expected) {
  return bad_value(fmt::format("{}: {}", where, key), excerpt(canonical_json(config.at(key))), expected);
}

// A missing member leaves the value as it is.
void read_flag(const Json& config, const std::string& where, const char* key, bool& value) {
  if (!config.contains(key)) return;
  if (!config[key].is_boolean()) throw feature_fault(config, where, key, "true or false");
  value = config[key].get<bool>();
}

void check_class(const Json& config, const std::string& where) {
  constexpr const char* kKey = "feature_extractor_type";
  if (!config.contains(kKey) || config[kKey].is_null() || config[kKey] == kClass) return;
  throw feature_fault(config, where, kKey, fmt::format("\"{}\", the only one that is computed", kClass));
}

// What the original would compute otherwise.
void require_usual(const Json& config, const std::string& where, const char* key, const Json& usual) {
  if (!config.contains(key) || config[key] == usual) return;
  throw Error(ErrorKind::kUnsupported, fmt::format("{}: {} {} is not supported; only {} is", where, key,
                                                   excerpt(canonical_json(config[key])), canonical_json(usual)));
}

}  // namespace

FeatureExtractorOptions parse_feature_extractor_options(const Json& json, const std::string& where) {
  const bool is_nested = json.is_object() && json.contains("feature_extractor");
  const Json& config = is_nested ? json.at("feature_extractor") : json;
  if (!config.is_object()) throw bad_value(where, excerpt(canonical_json(config)), "a JSON object");
  check_class(config, where);
  require_usual(config, where, "feature_size", 1);
  require_usual(config, where, "padding_side", "right");
  FeatureExtractorOptions options;
  if (config.contains("sampling_rate")) {
    const auto rate = whole_number<std::int64_t>(config["sampling_rate"]);
    if (!rate || *rate < 1 || *rate > kHighestModelRate) {
      throw feature_fault(config, where, "sampling_rate", fmt::format("a number from 1 to {}", kHighestModelRate));
    }
    options.sampling_rate = *rate;
  }
  if (config.contains("padding_value")) {
    if (!config["padding_value"].is_number()) throw feature_fault(config, where, "padding_value", "a number");
    options.padding_value = config["padding_value"].get<float>();
    if (!std::isfinite(options.padding_value)) throw feature_fault(config, where, "padding_value", "a number of fp32");
  }
  read_flag(config, where, "do_normalize", options.do_normalize);
  read_flag(config, where, "return_attention_mask", options.return_attention_mask);
  return options;
}

FeatureExtractorOptions read_feature_extractor_options(const std::filesystem::path& path) {
  return parse_feature_extractor_options(parse_json(path.string(), read_file(path)), path.string());
}

Json feature_extractor_json(const FeatureExtractorOptions& options) {
  return {{"feature_extractor_type", kClass},
          {"feature_size", 1},
          {"padding_side", "right"},
          {"sampling_rate", options.sampling_rate},
          {"padding_value", options.padding_value},
          {"do_normalize", options.do_normalize},
          {"return_attention_mask", options.return_attention_mask}};
}

void extract_features(const FeatureExtractorOptions& options, std::span<float> samples) {
  if (!options.do_normalize || samples.empty()) return;
  const auto count = static_cast<double>(samples.size());
  double sum = 0;
  for (const float sample : samples) sum += sample;
  const double mean = sum / count;
  double squares = 0;
  for (const float sample : samples) squares += (sample - mean) * (sample - mean);
  const double scale = 1 / std::sqrt(squares / count + 1e-7);
  for (float& sample : samples) sample = static_cast<float>((sample - mean) * scale);
}

}  // namespace transformeter
