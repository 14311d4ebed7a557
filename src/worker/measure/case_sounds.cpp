// Drawing sounds of one length.
#include "measure/case_sounds.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "datasets/sound_batch.h"
#include "schema/outputs.h"
#include "tasks/sound_inputs.h"

namespace transformeter {
namespace {

std::int64_t samples_of(const CaseSounds& sounds) {
  const std::int64_t samples = synthetic_samples(sounds.request, sounds.options, *sounds.config.waves);
  check_sound_room(sounds.request, samples);
  return samples;
}

Batch drawn(const CaseSounds& sounds, std::size_t first, std::int64_t rows) {
  const auto samples = static_cast<std::size_t>(samples_of(sounds));
  std::vector<std::vector<float>> drawn(static_cast<std::size_t>(rows), std::vector<float>(samples));
  for (std::size_t i = 0; i < drawn.size(); ++i) draw_sound(sounds.request.seed, first + i, drawn[i]);
  Batch batch = sound_batch(drawn, *sounds.config.waves, {});
  batch.example_index.resize(drawn.size());
  std::iota(batch.example_index.begin(), batch.example_index.end(), first);
  return batch;
}

}  // namespace

Cycle make_sound_cycle(const CaseSounds& sounds) {
  Cycle cycle;
  cycle.batches.push_back(drawn(sounds, 0, sounds.request.batch_size));
  cycle.example_count = cycle.used_examples = sounds.request.batch_size;
  return cycle;
}

std::vector<Batch> further_sound_batches(const CaseSounds& sounds, std::int64_t rows) {
  std::vector<Batch> batches;
  for (std::int64_t first = sounds.request.batch_size; first < rows; first += sounds.request.batch_size) {
    batches.push_back(drawn(sounds, static_cast<std::size_t>(first), sounds.request.batch_size));
  }
  return batches;
}

CalibrationBatches sound_calibration(const CaseSounds& sounds, const CalibrationSize& size) {
  const std::int64_t frames = sounds.config.waves->frames(samples_of(sounds));
  const std::int64_t rows = std::clamp<std::int64_t>(size.tokens / frames, 1, size.examples);
  const OutputRequest compared;
  const std::int64_t whole = sounds.request.batch_size;
  const std::int64_t before = (compared.fewest_inputs + whole - 1) / whole * whole;
  CalibrationBatches calibration{{}, false};
  for (std::int64_t taken = 0; taken < rows; taken += whole) {
    calibration.batches.push_back(
        drawn(sounds, static_cast<std::size_t>(before + taken), std::min(whole, rows - taken)));
  }
  return calibration;
}

CycleShape sound_cycle_shape(const CaseSounds& sounds) {
  const std::int64_t frames = sounds.config.waves->frames(samples_of(sounds));
  CycleShape shape;
  shape.batches.push_back(
      {std::vector<std::int64_t>(static_cast<std::size_t>(sounds.request.batch_size), frames), frames, false});
  return shape;
}

}  // namespace transformeter
