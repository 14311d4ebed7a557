// Images are decoded on demand, so that a data set need not fit into memory.
#include "tasks/image_rows.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "datasets/image_batch.h"
#include "datasets/image_data.h"
#include "tasks/image_inputs.h"
#include "tasks/training_tasks.h"
#include "tasks/whole_text.h"

namespace transformeter {
namespace {

/// Writes the pixels of an example, and gives its class.
using FillExample = std::function<std::int64_t(std::size_t example, std::span<float> values)>;

class ImageRows final : public TrainingRows {
 public:
  ImageRows(std::size_t count, const ModelConfig& config, FillExample fill)
      : count_(count), image_{*config.image, config.image_tokens}, fill_(std::move(fill)) {}

  std::size_t size() const override { return count_; }
  std::int64_t row_count() const override { return static_cast<std::int64_t>(count_); }
  LabelKind label_kind() const override { return LabelKind::kRow; }
  std::optional<ImageRow> image() const override { return image_; }
  std::vector<TrainingRow> rows(std::size_t example, std::int64_t /*epoch*/) const override {
    TrainingRow row;
    row.pixels.resize(static_cast<std::size_t>(image_.shape.values()));
    row.labels = {fill_(example, row.pixels)};
    return {std::move(row)};
  }

 private:
  std::size_t count_;
  ImageRow image_;
  FillExample fill_;
};

}  // namespace

DataSet load_image_classes(const std::string& path, const DataOptions& data, const ModelConfig* trained) {
  DataSet all = load_image_data(path, data);
  return trained == nullptr ? all : with_classes_of(std::move(all), *trained, path);
}

LabelledRows image_class_rows(DataSet data, const std::string& where, const ImageReading& images,
                              const TrainingRowsOptions& options) {
  check_training_task(options);
  check_labelled(data, where, "training");
  auto drawn = std::make_shared<std::vector<Example>>();
  for (const std::size_t i : drawn_examples(data.examples.size(), options)) {
    drawn->push_back(std::move(data.examples[i]));
  }
  LabelledRows labelled;
  labelled.rows = std::make_unique<ImageRows>(
      drawn->size(), images.config,
      [drawn, processor = images.processor](std::size_t example, std::span<float> values) -> std::int64_t {
        const Example& one = drawn->at(example);
        read_pixels(one, processor, values);
        return *one.label;
      });
  labelled.class_count = data.label_count;
  labelled.class_names = std::move(data.label_names);
  return labelled;
}

std::unique_ptr<TrainingRows> synthetic_image_rows(std::size_t count, std::int64_t classes, const ModelConfig& config,
                                                   const TrainingRowsOptions& options) {
  check_training_task(options);
  if (classes < 1) throw bad_value("number of classes", std::to_string(classes), "at least 1");
  if (count < 1) throw bad_value("number of synthetic rows", std::to_string(count), "at least 1");
  const auto size = static_cast<std::size_t>(config.image->values());
  const std::size_t drawn = kept_inputs(count, size);
  auto pixels = std::make_shared<std::vector<float>>(drawn * size);
  for (std::size_t i = 0; i < drawn; ++i) draw_pixels(options.seed, i, std::span(*pixels).subspan(i * size, size));
  return std::make_unique<ImageRows>(
      count, config, [classes, seed = options.seed, pixels, drawn, size](std::size_t example, std::span<float> values) {
        const auto image = std::span(*pixels).subspan(example % drawn * size, size);
        std::copy(image.begin(), image.end(), values.begin());
        return static_cast<std::int64_t>(label_stream(seed, example).below(static_cast<std::uint64_t>(classes)));
      });
}

}  // namespace transformeter
