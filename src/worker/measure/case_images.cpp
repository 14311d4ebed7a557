// Selecting, decoding and batching images, or drawing them.
#include "measure/case_images.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <span>
#include <utility>

#include "datasets/image_batch.h"
#include "schema/outputs.h"
#include "tasks/image_inputs.h"

namespace transformeter {
namespace {

bool is_synthetic(const CaseImages& images) {
  return images.request.data == kSyntheticData;
}

// Calls `fill(image, values)` for all rows of batches of `size` rows, but for the last; by several threads, which share
// images, not batches.
void fill_rows(std::vector<Batch>& batches, std::size_t size, const FillImage& fill) {
  std::int64_t images = 0;
  for (const Batch& batch : batches) images += batch.batch_size;
  at::parallel_for(0, images, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto image = static_cast<std::size_t>(begin); image < static_cast<std::size_t>(end); ++image) {
      fill(image, pixels_of(batches[image / size], image % size));
    }
  });
}

// Of the examples at these places of the data set.
std::vector<Batch> batches_of(const CaseImages& images, std::span<const std::size_t> places) {
  const auto size = static_cast<std::size_t>(images.request.batch_size);
  std::vector<Batch> batches;
  for (std::size_t begin = 0; begin < places.size(); begin += size) {
    const auto own = places.subspan(begin, std::min(size, places.size() - begin));
    batches.push_back(image_batch(own.size(), *images.config.image, images.config.image_tokens));
    batches.back().example_index.assign(own.begin(), own.end());
  }
  fill_rows(batches, size, [&](std::size_t image, std::span<float> values) {
    if (is_synthetic(images)) return draw_pixels(images.request.seed, places[image], values);
    read_pixels(images.data.examples[places[image]], images.processor, values);
  });
  return batches;
}

CycleOptions selection(const Case& request) {
  CycleOptions options;
  options.batch_size = request.batch_size;
  options.limit = request.limit;
  options.seed = request.seed;
  return options;
}

std::vector<std::size_t> selected(const Case& request, const DataSet& data) {
  return select_examples(data.examples.size(), selection(request));
}

}  // namespace

Batch filled_batch(std::size_t count, const ModelConfig& config, const FillImage& fill) {
  std::vector<Batch> batches{image_batch(count, *config.image, config.image_tokens)};
  fill_rows(batches, count, fill);
  batches.front().example_index = successive_examples(0, static_cast<std::int64_t>(count));
  return std::move(batches.front());
}

Cycle make_image_cycle(const CaseImages& images, std::optional<std::int64_t> cut) {
  std::vector<std::size_t> order = selected(images.request, images.data);
  if (is_synthetic(images)) order = successive_examples(0, images.request.batch_size);
  Cycle cycle;
  cycle.example_count = static_cast<std::int64_t>(order.size());
  if (cut) order.resize(std::min(order.size(), static_cast<std::size_t>(*cut)));
  check_image_room(images.request, images.config, static_cast<std::int64_t>(order.size()));
  cycle.batches = batches_of(images, order);
  cycle.used_examples = static_cast<std::int64_t>(order.size());
  return cycle;
}

std::vector<Batch> further_image_batches(const CaseImages& images, std::int64_t rows) {
  const std::int64_t size = images.request.batch_size;
  return batches_of(images, successive_examples(static_cast<std::size_t>(size), (rows - 1) / size * size));
}

CalibrationBatches image_calibration(const CaseImages& images, const CalibrationSize& size) {
  const std::int64_t rows = std::clamp<std::int64_t>(size.tokens / images.config.image_tokens, 1, size.examples);
  const OutputRequest compared;
  if (is_synthetic(images)) {
    const std::int64_t whole = images.request.batch_size;
    const std::int64_t before = (compared.fewest_inputs + whole - 1) / whole * whole;
    return {batches_of(images, successive_examples(static_cast<std::size_t>(before), rows)), false};
  }
  Case unlimited = images.request;
  unlimited.limit.reset();
  const std::vector<std::size_t> all = selected(unlimited, images.data);
  const auto measured = static_cast<std::int64_t>(selected(images.request, images.data).size());
  const std::int64_t take = calibration_count(static_cast<std::int64_t>(all.size()), measured, rows);
  return {batches_of(images, std::span(all).last(static_cast<std::size_t>(take))), false};
}

CycleShape image_cycle_shape(const Case& request, const ModelConfig& config, const DataSet& data) {
  std::int64_t left = request.batch_size;
  if (request.data != kSyntheticData) left = static_cast<std::int64_t>(selected(request, data).size());
  CycleShape shape;
  for (; left > 0; left -= request.batch_size) {
    const auto rows = static_cast<std::size_t>(std::min(left, request.batch_size));
    shape.batches.push_back({std::vector<std::int64_t>(rows, config.image_tokens), config.image_tokens, false});
  }
  return shape;
}

}  // namespace transformeter
