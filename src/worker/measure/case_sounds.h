// The sounds of a case as a batch, and others of the same shape that are compared or calibrate. Synthetic ones alone.
#pragma once

#include <cstdint>
#include <vector>

#include "audio/feature_extractor.h"
#include "datasets/cycle.h"
#include "measure/case_texts.h"
#include "measure/pass_forecast.h"
#include "measure/worker_case.h"
#include "spec/model_config.h"

namespace transformeter {

/// What a case's sounds follow from; borrowed.
struct CaseSounds {
  const Case& request;
  const ModelConfig& config;
  const FeatureExtractorOptions& options;
};

/// One batch of independent standard normal numbers, as normalized sounds have them, which follow from the seed and the
/// sound's place. Errors as synthetic_samples and check_sound_room.
Cycle make_sound_cycle(const CaseSounds& sounds);

/// Whole batches that follow the cycle's: as many as make up at least `rows` with it.
std::vector<Batch> further_sound_batches(const CaseSounds& sounds, std::int64_t rows);

/// As calibration_batches of texts.
CalibrationBatches sound_calibration(const CaseSounds& sounds, const CalibrationSize& size);

/// That of make_sound_cycle, without drawing a sound.
CycleShape sound_cycle_shape(const CaseSounds& sounds);

}  // namespace transformeter
