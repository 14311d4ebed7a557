// Selecting, decoding and batching sounds, or drawing them.
#include "measure/case_sounds.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <span>
#include <utility>

#include "base/error.h"
#include "datasets/sound_batch.h"
#include "schema/outputs.h"
#include "tasks/sound_inputs.h"

namespace transformeter {
namespace {

using Places = std::span<const std::size_t>;
using Values = std::vector<std::vector<float>>;

bool is_synthetic(const CaseSounds& sounds) {
  return sounds.request.data == kSyntheticData;
}

std::vector<std::size_t> selected(const CaseSounds& sounds, const std::optional<std::int64_t>& limit) {
  CycleOptions options;
  options.limit = limit;
  options.seed = sounds.request.seed;
  return select_examples(sounds.data.examples.size(), options);
}

std::int64_t drawn_samples(const CaseSounds& sounds) {
  const std::int64_t samples = synthetic_samples(sounds.request, sounds.options, *sounds.config.waves);
  check_sound_room(sounds.request, samples);
  return samples;
}

// The sounds at these places, which come behind `before` others, by several threads. No more are decoded than a cycle
// may hold.
Values values_of(const CaseSounds& sounds, Places places, std::size_t before) {
  Values values(places.size());
  std::atomic<std::int64_t> decoded = 0;
  if (is_synthetic(sounds)) {
    const auto samples = static_cast<std::size_t>(drawn_samples(sounds));
    for (std::vector<float>& one : values) one.resize(samples);
  }
  at::parallel_for(0, static_cast<std::int64_t>(places.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (is_synthetic(sounds)) {
        draw_sound(sounds.request.seed, places[i], values[i]);
      } else {
        values[i] = read_sound(sounds.data.examples[places[i]], sounds.options, *sounds.config.waves);
        check_room_of_samples(sounds.request, decoded += static_cast<std::int64_t>(values[i].size()), before,
                              places.size());
      }
    }
  });
  return values;
}

// Of one batch.
void check_lengths(const CaseSounds& sounds, std::span<const std::vector<float>> values) {
  const auto is_shorter = [](const std::vector<float>& one, const std::vector<float>& other) {
    return one.size() < other.size();
  };
  const auto [shortest, longest] = std::minmax_element(values.begin(), values.end(), is_shorter);
  if (shortest->size() == longest->size() || !reads_padding(sounds.config, sounds.options)) return;
  throw Error(
      ErrorKind::kUnsupported,
      fmt::format("batch_size {}: the model would read the padding of shorter sounds, here of {} samples beside "
                  "{}, since no mask hides it; use batch_size 1, or sounds of one length",
                  sounds.request.batch_size, shortest->size(), longest->size()));
}

std::int64_t padded_samples(std::span<const std::vector<float>> values) {
  std::size_t longest = 0;
  for (const std::vector<float>& one : values) longest = std::max(longest, one.size());
  return static_cast<std::int64_t>(values.size() * longest);
}

Batch batch_of(const CaseSounds& sounds, std::span<const std::vector<float>> values, Places places) {
  const SoundPadding padding{sounds.options.padding_value, sounds.options.return_attention_mask};
  Batch batch = sound_batch(values, *sounds.config.waves, padding);
  batch.example_index.assign(places.begin(), places.end());
  return batch;
}

// Batches of few sounds are decoded together, so that all threads have some. Stops once the batches hold `tokens`;
// how many a sound has is known only after decoding.
std::vector<Batch> batches_of(const CaseSounds& sounds, Places places,
                              std::int64_t tokens = std::numeric_limits<std::int64_t>::max()) {
  constexpr std::size_t kDecodedTogether = 16;
  const auto size = static_cast<std::size_t>(sounds.request.batch_size);
  const std::size_t block = (kDecodedTogether + size - 1) / size * size;
  std::vector<Batch> batches;
  std::int64_t samples = 0;
  for (std::size_t begin = 0; begin < places.size(); begin += block) {
    const Places together = places.subspan(begin, std::min(block, places.size() - begin));
    const Values values = values_of(sounds, together, begin);
    for (std::size_t first = 0; first < together.size(); first += size) {
      const std::size_t count = std::min(size, together.size() - first);
      const auto own = std::span(values).subspan(first, count);
      check_lengths(sounds, own);
      samples += padded_samples(own);
      if (!is_synthetic(sounds)) check_room_of_samples(sounds.request, samples, begin + first, count);
      batches.push_back(batch_of(sounds, own, together.subspan(first, count)));
      tokens -= batches.back().processed_tokens;
      if (tokens <= 0) return batches;
    }
  }
  return batches;
}

Cycle cycle_of(const CaseSounds& sounds, Places places, std::size_t all) {
  Cycle cycle;
  cycle.example_count = static_cast<std::int64_t>(all);
  cycle.used_examples = static_cast<std::int64_t>(places.size());
  cycle.batches = batches_of(sounds, places);
  return cycle;
}

}  // namespace

SoundCycle make_sound_cycle(const CaseSounds& sounds) {
  if (is_synthetic(sounds)) {
    const std::vector<std::size_t> places = successive_examples(0, sounds.request.batch_size);
    return {cycle_of(sounds, places, places.size()), {}};
  }
  SoundCycle made;
  made.source.order = selected(sounds, sounds.request.limit);
  made.cycle = cycle_of(sounds, made.source.order, made.source.order.size());
  for (const Batch& batch : made.cycle.batches) {
    const std::vector<std::int64_t>& lengths = batch.sounds->lengths;
    made.source.samples.insert(made.source.samples.end(), lengths.begin(), lengths.end());
  }
  return made;
}

Cycle cut_sound_cycle(const CaseSounds& sounds, const SoundSource& source, std::int64_t examples) {
  std::vector<std::size_t> places;
  const auto keep = static_cast<std::size_t>(examples);
  for (const std::size_t i : stratified_draw(source.samples, keep, sounds.request.seed)) {
    places.push_back(source.order[i]);
  }
  return cycle_of(sounds, places, source.order.size());
}

std::vector<Batch> further_sound_batches(const CaseSounds& sounds, std::int64_t rows) {
  const std::int64_t size = sounds.request.batch_size;
  return batches_of(sounds, successive_examples(static_cast<std::size_t>(size), (rows - 1) / size * size));
}

CalibrationBatches sound_calibration(const CaseSounds& sounds, const CalibrationSize& size) {
  if (is_synthetic(sounds)) {
    const std::int64_t frames = sounds.config.waves->frames(drawn_samples(sounds));
    const std::int64_t rows = std::clamp<std::int64_t>(size.tokens / frames, 1, size.examples);
    const std::int64_t whole = sounds.request.batch_size;
    const std::int64_t before = (OutputRequest().fewest_inputs + whole - 1) / whole * whole;
    return {batches_of(sounds, successive_examples(static_cast<std::size_t>(before), rows)), false};
  }
  const std::vector<std::size_t> all = selected(sounds, std::nullopt);
  const auto measured = static_cast<std::int64_t>(selected(sounds, sounds.request.limit).size());
  const std::int64_t take = calibration_count(static_cast<std::int64_t>(all.size()), measured, size.examples);
  return {batches_of(sounds, Places(all).last(static_cast<std::size_t>(take)), size.tokens), false};
}

CycleShape sound_cycle_shape(const CaseSounds& sounds) {
  if (!is_synthetic(sounds)) return CycleShape::of(make_sound_cycle(sounds).cycle);
  const std::int64_t frames = sounds.config.waves->frames(drawn_samples(sounds));
  CycleShape shape;
  shape.batches.push_back(
      {std::vector<std::int64_t>(static_cast<std::size_t>(sounds.request.batch_size), frames), frames, false});
  return shape;
}

}  // namespace transformeter
