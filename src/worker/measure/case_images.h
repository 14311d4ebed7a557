// The images of a case as batches: its cycle, and others of the same shape that are compared or calibrate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "datasets/cycle.h"
#include "datasets/dataset.h"
#include "images/image_processor.h"
#include "measure/case_texts.h"
#include "measure/pass_forecast.h"
#include "measure/worker_case.h"
#include "spec/model_config.h"

namespace transformeter {

/// Writes the pixel values of an image, [channels, height, width]; for several images at once.
using FillImage = std::function<void(std::size_t image, std::span<float> values)>;

/// `count` images, at least one, as the model takes them, filled by several threads. Rethrows what `fill` throws.
Batch filled_batch(std::size_t count, const ModelConfig& config, const FillImage& fill);

/// What a case's images follow from; borrowed.
struct CaseImages {
  const Case& request;
  const ModelConfig& config;
  const DataSet& data;  // of synthetic images, their number alone
  const ImageProcessor& processor;
};

/// Of files all that are selected, in the seeded order of texts, K = ceil(N / B) batches; with `cut`, only the first so
/// many. Of synthetic images one batch: independent standard normal numbers, which follow from the seed and the image's
/// place. Throws Error(kBadInput) naming the file of an image that cannot be read, and as
/// check_image_room.
Cycle make_image_cycle(const CaseImages& images, std::optional<std::int64_t> cut = std::nullopt);

/// Whole batches of synthetic images that follow the cycle's: as many as make up at least `rows` with it.
std::vector<Batch> further_image_batches(const CaseImages& images, std::int64_t rows);

/// As calibration_batches of texts.
CalibrationBatches image_calibration(const CaseImages& images, const CalibrationSize& size);

/// That of make_image_cycle, without reading an image.
CycleShape image_cycle_shape(const Case& request, const ModelConfig& config, const DataSet& data);

}  // namespace transformeter
