// The sounds of a case as batches: its cycle, and others of the same shape that are compared or calibrate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "audio/feature_extractor.h"
#include "datasets/cycle.h"
#include "datasets/dataset.h"
#include "measure/case_texts.h"
#include "measure/pass_forecast.h"
#include "measure/worker_case.h"
#include "spec/model_config.h"

namespace transformeter {

/// What a case's sounds follow from; borrowed.
struct CaseSounds {
  const Case& request;
  const ModelConfig& config;
  const DataSet& data;  // of synthetic sounds, their number alone
  const FeatureExtractorOptions& options;
};

/// Examples of natural lengths; empty for synthetic sounds, which are never cut.
struct SoundSource {
  std::vector<std::size_t> order;     // of the examples in the data set
  std::vector<std::int64_t> samples;  // of each
};

struct SoundCycle {
  Cycle cycle;
  SoundSource source;  // what a cut cycle is made from
};

/// Of files all that are selected, in the seeded order of texts, K = ceil(N / B) batches, each padded to its longest.
/// Of synthetic sounds one batch: independent standard normal numbers, as normalized sounds have them, which follow
/// from the seed and the sound's place. Throws Error(kBadInput) naming the file of a sound that cannot be read;
/// Error(kUnsupported) for sounds of different lengths in one batch of a model that would read their padding; and as
/// check_room_of_samples, synthetic_samples and check_sound_room.
SoundCycle make_sound_cycle(const CaseSounds& sounds);

/// So many of its examples, drawn evenly over their lengths, in their order. Errors as make_sound_cycle.
Cycle cut_sound_cycle(const CaseSounds& sounds, const SoundSource& source, std::int64_t examples);

/// Whole batches of synthetic sounds that follow the cycle's: as many as make up at least `rows` with it.
std::vector<Batch> further_sound_batches(const CaseSounds& sounds, std::int64_t rows);

/// As calibration_batches of texts.
CalibrationBatches sound_calibration(const CaseSounds& sounds, const CalibrationSize& size);

/// That of make_sound_cycle. Synthetic sounds are not drawn; files are read, whose lengths nothing else tells.
CycleShape sound_cycle_shape(const CaseSounds& sounds);

}  // namespace transformeter
