// The images of a case as batches: its cycle, and others of the same shape that are compared or calibrate.
#pragma once

#include <cstdint>
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

/// The most pixel values that a cycle may hold, all of which lie in memory while it is measured, and three times while
/// it is prepared.
inline constexpr std::int64_t kMostPixelBytes = std::int64_t{1} << 30;

/// At least one, as the model takes them: example i is images[i].
Batch batch_of_images(std::span<const Image> images, const ModelConfig& config, const ImageProcessor& processor);

/// What a case's images follow from; borrowed.
struct CaseImages {
  const Case& request;
  const ModelConfig& config;
  const DataSet& data;  // of synthetic images, their number alone
  const ImageProcessor& processor;
};

/// Of files all that are selected, in the seeded order of texts, K = ceil(N / B) batches; with `cut`, only the first so
/// many. Of synthetic images one batch: independent standard normal numbers, which follow from the seed and the image's
/// place. Throws Error(kBadInput) naming the file of an image that cannot be read, and for more images than
/// kMostPixelBytes hold.
Cycle make_image_cycle(const CaseImages& images, std::optional<std::int64_t> cut = std::nullopt);

/// Batches of synthetic images that follow those of the cycle, as many as make up `rows` with it.
std::vector<Batch> further_image_batches(const CaseImages& images, std::int64_t rows);

/// As calibration_batches of texts.
CalibrationBatches image_calibration(const CaseImages& images, const CalibrationSize& size);

/// That of make_image_cycle, without reading an image.
CycleShape image_cycle_shape(const Case& request, const ModelConfig& config, const DataSet& data);

}  // namespace transformeter
