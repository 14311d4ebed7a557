// From a waveform to the values that a model of sound reads, as a checkpoint's preprocessor_config.json says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/json.h"

namespace transformeter {

/// Wav2Vec2FeatureExtractor of Transformers 5.23, with its defaults.
struct FeatureExtractorOptions {
  std::int64_t sampling_rate = 16'000;
  float padding_value = 0;             // after the end of a shorter sound in a batch
  bool do_normalize = true;            // to mean 0 and variance 1
  bool return_attention_mask = false;  // whether the model is told where a sound ends

  bool operator==(const FeatureExtractorOptions&) const = default;
};

/// Of preprocessor_config.json, or of the member feature_extractor of a processor_config.json; `where` names it in
/// errors. Without feature_extractor_type the class is Wav2Vec2FeatureExtractor, as old files have it.
/// Throws Error(kBadInput) naming key and value: another class, a wrong type, a sampling rate out of range;
/// Error(kUnsupported) for feature_size other than 1 and for padding on the left.
FeatureExtractorOptions parse_feature_extractor_options(const Json& json, const std::string& where);
FeatureExtractorOptions read_feature_extractor_options(const std::filesystem::path& path);

/// A preprocessor_config.json that is read back to the same options.
Json feature_extractor_json(const FeatureExtractorOptions& options);

/// With do_normalize (x − mean) / √(variance + 10⁻⁷) over all `samples`, as Transformers has it for one sound; else
/// nothing. Values are within 10⁻⁵ of its, whose sums are in fp32.
void extract_features(const FeatureExtractorOptions& options, std::span<float> samples);

}  // namespace transformeter
