// What an extractor gives must be what the model was trained on.
#include "tasks/sound_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "datasets/sound_data.h"
#include "spec/architecture.h"
#include "tasks/task_type.h"

namespace transformeter {
namespace {

constexpr const char* kMember = "feature_extractor";

// The first that has one, as Transformers 5.23 looks for it; it saves the former, older versions the latter.
FeatureExtractorOptions folder_feature_extractor(const std::filesystem::path& folder) {
  std::error_code code;
  const std::filesystem::path shared = folder / kProcessorFile;
  const bool has_shared = std::filesystem::exists(shared, code);
  if (has_shared) {
    const Json json = parse_json(shared.string(), read_file(shared));
    const bool is_nested = json.is_object() && json.contains(kMember) && !json.at(kMember).is_null();
    if (is_nested) return parse_feature_extractor_options(json, shared.string());
  }
  const std::filesystem::path own = folder / kFeatureExtractorFile;
  if (std::filesystem::exists(own, code)) return read_feature_extractor_options(own);
  throw refused_value(
      "model folder", folder.string(),
      has_shared ? fmt::format("its {} has no member {}, which would say how sounds become a model's input, and it has "
                               "no {} either",
                               kProcessorFile, kMember, kFeatureExtractorFile)
                 : fmt::format("it has neither {} nor {}, one of which says how sounds become a model's input",
                               kProcessorFile, kFeatureExtractorFile),
      "Copy the file from where the model was published");
}

Prediction transcript_of_output(const RowOutput& row, std::int64_t frames, const CtcVocabulary& vocabulary) {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < frames; ++i) {
    const std::span<const float> frame = row.token(static_cast<std::size_t>(i));
    ids.push_back(std::max_element(frame.begin(), frame.end()) - frame.begin());
  }
  return {TranscriptPrediction{vocabulary.text_of(ids)}, false};
}

}  // namespace

FeatureExtractorOptions model_feature_extractor(const std::string& model, const ModelConfig& config, bool is_trained) {
  if (!config.waves) {
    throw Error(ErrorKind::kUnsupported, fmt::format("family '{}' does not read sounds", config.family()));
  }
  if (!is_trained) {
    FeatureExtractorOptions usual;
    usual.return_attention_mask = !config.waves->layers.front().norms_over_time;
    return usual;
  }
  return folder_feature_extractor(model);
}

std::vector<float> read_sound(const Example& example, const FeatureExtractorOptions& options, const WaveSpec& waves) {
  Waveform waveform = waveform_of(example, options.sampling_rate);
  const auto samples = static_cast<std::int64_t>(waveform.samples.size());
  if (waves.frames(samples) < 1) {
    throw refused_value("audio file", example.text,
                        fmt::format("it has {} samples at {} Hz, fewer than the {} that one frame of the model takes",
                                    samples, options.sampling_rate, waves.samples(1)),
                        "Give a longer sound");
  }
  extract_features(options, waveform.samples);
  return std::move(waveform.samples);
}

bool reads_padding(const ModelConfig& config, const FeatureExtractorOptions& options) {
  return !options.return_attention_mask || config.waves->layers.front().norms_over_time;
}

CtcVocabulary model_ctc_vocabulary(const std::string& model, const ModelConfig& config, bool is_trained) {
  if (!is_trained) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("preset '{}' has no vocabulary, so that there is no text; use --task audio_classification or "
                    "audio_embedding, or a trained model",
                    model));
  }
  CtcVocabulary vocabulary = CtcVocabulary::read(model);
  if (vocabulary.size() <= config.vocab_size) return vocabulary;
  throw refused_value(
      "model folder", model,
      fmt::format("vocab.json has {} tokens, but config.json a vocab_size of {}", vocabulary.size(), config.vocab_size),
      "Copy both from where the model was published");
}

std::vector<Prediction> answers_of_sounds(Task task, std::span<const RowOutput> rows,
                                          const std::vector<std::int64_t>& frames, const CtcVocabulary* vocabulary,
                                          const std::vector<std::string>& labels) {
  const TaskType& type = task_type(task);
  std::vector<Prediction> answers;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    answers.push_back(vocabulary == nullptr ? type.answer_of_output(rows[i].values, labels, std::nullopt)
                                            : transcript_of_output(rows[i], frames[i], *vocabulary));
  }
  return answers;
}

CtcSpec model_ctc(const ModelConfig& config) {
  CtcSpec usual;
  usual.blank = config.pad_token_id.value_or(0);
  if (!config.architecture->draw) return usual;
  const CtcSpec ctc = draw_blueprint(config, Task::kSpeechRecognition).head.ctc.value_or(usual);
  if (ctc.has_loss) return ctc;
  throw refused_value("ctc_loss_reduction", "none", "a step needs one loss",
                      "Set it to sum or mean in the model's config.json");
}

void check_blank(const CtcVocabulary& vocabulary, const ModelConfig& config, const std::string& model) {
  const std::int64_t blank = model_ctc(config).blank;
  const std::optional<std::int64_t> padding = vocabulary.padding_id();
  if (!padding || *padding == blank) return;
  throw refused_value(
      "model folder", model,
      fmt::format("pad_token_id {} in config.json is CTC's blank, but the padding token of vocab.json is {}", blank,
                  *padding),
      fmt::format("Set pad_token_id to {}, or copy both files from where the model was published", *padding));
}

std::size_t sounds_per_batch(const ModelConfig& config, const FeatureExtractorOptions& options,
                             std::int64_t batch_size) {
  return reads_padding(config, options) ? 1 : static_cast<std::size_t>(batch_size);
}

SoundPadding sound_padding(const FeatureExtractorOptions& options) {
  return {options.padding_value, options.return_attention_mask};
}

std::int64_t synthetic_samples(const Case& the_case, const FeatureExtractorOptions& options, const WaveSpec& waves) {
  const auto rate = static_cast<double>(options.sampling_rate);
  const double samples = std::round(the_case.audio_seconds * rate);
  const double least = static_cast<double>(waves.samples(1));
  const auto most = static_cast<double>(AudioLimits{}.values);
  if (samples >= least && samples <= most) return static_cast<std::int64_t>(samples);
  throw Error(
      ErrorKind::kUnsupportedShape,
      fmt::format("audio_seconds {}: allowed are {:.5g} to {:.5g} for this model, {:.0f} to {:.0f} samples at {} Hz",
                  the_case.audio_seconds, least / rate, most / rate, least, most, options.sampling_rate));
}

std::int64_t most_sounds(std::int64_t samples) {
  return kMostSoundBytes / (samples * static_cast<std::int64_t>(sizeof(float)));
}

void check_sound_room(const Case& the_case, std::int64_t samples) {
  if (the_case.batch_size <= most_sounds(samples)) return;
  throw Error(ErrorKind::kUnsupportedShape,
              fmt::format("{} sounds of {} seconds do not fit into the {} GiB that a cycle may hold; use a smaller "
                          "--batch-size or --audio-seconds",
                          the_case.batch_size, the_case.audio_seconds, kMostSoundBytes >> 30));
}

void check_room_of_samples(const Case& the_case, std::int64_t samples, std::size_t before, std::size_t more) {
  if (samples <= most_sounds(1)) return;
  const std::string limit = fmt::format("the {} GiB that a cycle may hold", kMostSoundBytes >> 30);
  if (before == 0) {
    throw Error(ErrorKind::kUnsupportedShape,
                fmt::format("{}: the first {} sounds alone, in batches of {}, are more than {}; use a smaller "
                            "--batch-size or --limit",
                            the_case.data, more, the_case.batch_size, limit));
  }
  throw Error(ErrorKind::kUnsupportedShape,
              fmt::format("{}: the sounds do not fit into {}; use --limit {} or fewer", the_case.data, limit, before));
}

}  // namespace transformeter
