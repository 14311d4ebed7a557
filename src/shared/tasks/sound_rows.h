// Rows of sounds that a model learns from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "spec/model_config.h"
#include "tasks/fine_tuning_sets.h"
#include "tasks/training_rows.h"

namespace transformeter {

/// What load_sound_data reads of audio_classification. Classes keep the order of a trained model that has the same
/// ones; null: of none.
DataSet load_sound_classes(const std::string& path, const DataOptions& data, const ModelConfig* trained);

/// The same of speech_recognition. Throws Error(kBadInput) naming `path` for data without transcripts.
DataSet load_transcripts(const std::string& path, const DataOptions& data);

/// Sounds are decoded as each is asked for. Throws Error(kBadInput) naming `where` for sounds without labels.
LabelledRows sound_class_rows(DataSet data, const std::string& where, const SoundReading& sounds,
                              const TrainingRowsOptions& options);

/// Likewise, with the tokens of what is said, by `sounds.vocabulary`. A row throws Error(kBadInput) naming the sound
/// where its frames are too few for the tokens, unless the model's configuration lets such sounds count nothing
/// (CtcSpec::zeroes_infinity), and for a character that is no token where there is no unknown one, or a token that the
/// model has no class for.
LabelledRows transcript_rows(DataSet data, const SoundReading& sounds, const TrainingRowsOptions& options);

/// Frames that a transcript needs at least: one for each token, and a blank between two that are alike.
std::int64_t fewest_frames(const std::vector<std::int64_t>& tokens);

/// Tokens of a drawn sound's transcript: one for every 4 frames, which is 12.5 a second at 16 kHz; spoken English has
/// about as many letters.
std::int64_t drawn_tokens(std::int64_t frames);

/// Drawn sounds of so many samples with random classes or, of speech_recognition, random transcripts. Sounds are drawn
/// once, since drawing them would slow the loader; after 64 MiB the first ones come again, with other labels. Throws
/// Error(kBadInput) for a count below 1, and a model without classes, or without a token beside CTC's blank.
std::unique_ptr<TrainingRows> synthetic_sound_rows(std::size_t count, std::int64_t samples, const SoundReading& sounds,
                                                   const TrainingRowsOptions& options);

}  // namespace transformeter
