// From sound files to what a model reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "audio/feature_extractor.h"
#include "datasets/dataset.h"
#include "datasets/sound_batch.h"
#include "schema/case.h"
#include "spec/model_config.h"
#include "tasks/prediction_task.h"
#include "tokenizers/ctc_vocabulary.h"

namespace transformeter {

inline constexpr const char* kFeatureExtractorFile = "preprocessor_config.json";
/// Beside it: where Transformers 5 saves the feature extractor of a model with a tokenizer.
inline constexpr const char* kProcessorFile = "processor_config.json";

/// Of a checkpoint's folder `model`: the member feature_extractor of its processor_config.json, else its
/// preprocessor_config.json. A preset, which is not `trained`, has the usual one, with a mask where published models of
/// its kind have one: those whose convolutions norm no channel over time. `config` is of a model that reads sounds.
/// Throws Error(kBadInput) where both are missing, and for a file that cannot be read.
FeatureExtractorOptions model_feature_extractor(const std::string& model, const ModelConfig& config, bool is_trained);

/// Decodes an example's file and extracts its values. Throws Error(kBadInput) naming the file, also for one that is too
/// short for a frame.
std::vector<float> read_sound(const Example& example, const FeatureExtractorOptions& options, const WaveSpec& waves);

/// Whether the model would read the padding of a shorter sound in a batch: it gets no mask, or its first norm is over
/// time, where a mask does not help. Transformers pads such batches with zeros, and their answers differ from those to
/// the sounds alone.
bool reads_padding(const ModelConfig& config, const FeatureExtractorOptions& options);

/// What a checkpoint's classes of frames mean, from its folder `model`. Throws as CtcVocabulary::read; Error(kBadInput)
/// for one larger than the model's; Error(kUnsupported) for a preset, which is not `trained`: its classes of frames
/// mean nothing, and have no letters.
CtcVocabulary model_ctc_vocabulary(const std::string& model, const ModelConfig& config, bool is_trained);

/// How the model's frames learn transcripts; of a family without a blueprint as by default. `config` is of a model with
/// the task. Throws Error(kBadInput) where its file says that losses stay apart.
CtcSpec model_ctc(const ModelConfig& config);

/// Throws Error(kBadInput) naming the folder `model` where CTC's blank is not the vocabulary's padding token, which
/// texts leave out: another token would be learnt as the blank.
void check_blank(const CtcVocabulary& vocabulary, const ModelConfig& config, const std::string& model);

/// That are asked for at once: each goes alone through a model that would read padding, as in Transformers' pipelines.
std::size_t sounds_per_batch(const ModelConfig& config, const FeatureExtractorOptions& options,
                             std::int64_t batch_size);

SoundPadding sound_padding(const FeatureExtractorOptions& options);

/// The answers to sounds of so many `frames` each. With a `vocabulary` the text of each frame's largest number; without
/// one the task's, which names `labels`.
std::vector<Prediction> answers_of_sounds(Task task, std::span<const RowOutput> rows,
                                          const std::vector<std::int64_t>& frames, const CtcVocabulary* vocabulary,
                                          const std::vector<std::string>& labels);

/// Samples of a synthetic sound. Throws Error(kUnsupportedShape) for fewer than a frame takes, and for more than 2^28.
std::int64_t synthetic_samples(const Case& the_case, const FeatureExtractorOptions& options, const WaveSpec& waves);

/// Sounds of so many samples that a cycle may hold.
std::int64_t most_sounds(std::int64_t samples);
/// Throws Error(kUnsupportedShape) where a batch of synthetic sounds would hold more.
void check_sound_room(const Case& the_case, std::int64_t samples);
/// The same of a data set whose first `before` sounds fit, and which has so many samples, padding included, with `more`
/// of them.
void check_room_of_samples(const Case& the_case, std::int64_t samples, std::size_t before, std::size_t more);
/// All samples lie in memory while a cycle is measured, and up to three times while it is prepared.
inline constexpr std::int64_t kMostSoundBytes = std::int64_t{1} << 30;

}  // namespace transformeter
