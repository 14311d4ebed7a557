// Images are decoded on demand, so that a data set need not fit into memory.
#include "tasks/image_rows.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "datasets/file_texts.h"
#include "datasets/image_batch.h"
#include "datasets/image_data.h"
#include "datasets/synthetic.h"
#include "tasks/image_inputs.h"
#include "tasks/training_tasks.h"
#include "tasks/whole_text.h"

namespace transformeter {
namespace {

/// Writes the pixels of an example, and gives its labels.
using FillExample = std::function<std::vector<std::int64_t>(std::size_t example, std::span<float> values)>;

class ImageRows final : public TrainingRows {
 public:
  ImageRows(std::size_t count, LabelKind kind, const ModelConfig& config, FillExample fill)
      : count_(count), kind_(kind), image_{*config.image, config.image_tokens}, fill_(std::move(fill)) {}

  std::size_t size() const override { return count_; }
  std::int64_t row_count() const override { return static_cast<std::int64_t>(count_); }
  LabelKind label_kind() const override { return kind_; }
  std::optional<ImageRow> image() const override { return image_; }
  std::vector<TrainingRow> rows(std::size_t example, std::int64_t /*epoch*/) const override {
    TrainingRow row;
    row.pixels.resize(static_cast<std::size_t>(image_.shape.values()));
    row.labels = fill_(example, row.pixels);
    return {std::move(row)};
  }

 private:
  std::size_t count_;
  LabelKind kind_;
  ImageRow image_;
  FillExample fill_;
};

// Images that are drawn once; of more than are kept the first come again.
class DrawnImages {
 public:
  DrawnImages(std::size_t count, const ModelConfig& config, std::uint64_t seed)
      : size_(static_cast<std::size_t>(config.image->values())), drawn_(kept_inputs(count, size_)) {
    pixels_.resize(drawn_ * size_);
    for (std::size_t i = 0; i < drawn_; ++i) draw_pixels(seed, i, std::span(pixels_).subspan(i * size_, size_));
  }

  void copy(std::size_t image, std::span<float> values) const {
    const auto own = std::span(pixels_).subspan(image % drawn_ * size_, size_);
    std::copy(own.begin(), own.end(), values.begin());
  }

 private:
  std::size_t size_, drawn_;
  std::vector<float> pixels_;
};

void check_drawn(std::size_t count, const TrainingRowsOptions& options) {
  check_training_task(options);
  if (count < 1) throw bad_value("number of synthetic rows", std::to_string(count), "at least 1");
}

std::shared_ptr<const std::vector<Example>> taken_images(DataSet& data, const TrainingRowsOptions& options) {
  auto drawn = std::make_shared<std::vector<Example>>();
  for (const std::size_t i : drawn_examples(data.examples.size(), options)) {
    drawn->push_back(std::move(data.examples[i]));
  }
  return drawn;
}

}  // namespace

DataSet load_image_classes(const std::string& path, const DataOptions& data, const ModelConfig* trained) {
  DataSet all = load_image_data(path, data);
  return trained == nullptr ? all : with_classes_of(std::move(all), *trained, path);
}

LabelledRows image_class_rows(DataSet data, const std::string& where, const ImageReading& images,
                              const TrainingRowsOptions& options) {
  check_training_task(options);
  check_labelled(data, where, "training");
  const auto examples = taken_images(data, options);
  LabelledRows labelled;
  labelled.rows = std::make_unique<ImageRows>(
      examples->size(), LabelKind::kRow, images.config,
      [examples, processor = images.processor](std::size_t example, std::span<float> values) {
        const Example& one = examples->at(example);
        read_pixels(one, processor, values);
        return std::vector<std::int64_t>{*one.label};
      });
  labelled.class_count = data.label_count;
  labelled.class_names = std::move(data.label_names);
  return labelled;
}

std::unique_ptr<TrainingRows> synthetic_image_rows(std::size_t count, std::int64_t classes, const ModelConfig& config,
                                                   const TrainingRowsOptions& options) {
  check_drawn(count, options);
  if (classes < 1) throw bad_value("number of classes", std::to_string(classes), "at least 1");
  auto images = std::make_shared<const DrawnImages>(count, config, options.seed);
  return std::make_unique<ImageRows>(
      count, LabelKind::kRow, config,
      [classes, seed = options.seed, images](std::size_t example, std::span<float> values) {
        images->copy(example, values);
        const std::uint64_t label = label_stream(seed, example).below(static_cast<std::uint64_t>(classes));
        return std::vector{static_cast<std::int64_t>(label)};
      });
}

DataSet load_captions(const std::string& path, const DataOptions& data) {
  DataSet all = load_image_data(path, data, Task::kContrastiveImageText);
  check_has_texts(all, kCaptions, path);
  return all;
}

LabelledRows caption_rows(DataSet data, const ImageReading& images, const Tokenizer& tokenizer,
                          const TrainingRowsOptions& options) {
  check_training_task(options);
  check_room(tokenizer, options);
  const auto examples = taken_images(data, options);
  EncodeOptions encode;
  encode.max_length = options.max_length;
  LabelledRows labelled;
  labelled.rows = std::make_unique<ImageRows>(
      examples->size(), LabelKind::kCaption, images.config,
      [examples, encode, &tokenizer, processor = images.processor](std::size_t example, std::span<float> values) {
        const Example& one = examples->at(example);
        read_pixels(one, processor, values);
        const Encoding caption = tokenizer.encode(*one.caption, encode);
        return std::vector<std::int64_t>(caption.ids.begin(), caption.ids.end());
      });
  return labelled;
}

std::unique_ptr<TrainingRows> synthetic_caption_rows(std::size_t count, const ModelConfig& config,
                                                     const Tokenizer& tokenizer, const TrainingRowsOptions& options) {
  check_drawn(count, options);
  auto images = std::make_shared<const DrawnImages>(count, config, options.seed);
  auto captions = std::make_shared<const std::vector<Encoding>>(
      synthetic_encodings(std::vector(count, options.max_length), tokenizer, options.seed));
  return std::make_unique<ImageRows>(count, LabelKind::kCaption, config,
                                     [images, captions](std::size_t example, std::span<float> values) {
                                       images->copy(example, values);
                                       const std::vector<std::int32_t>& ids = captions->at(example).ids;
                                       return std::vector<std::int64_t>(ids.begin(), ids.end());
                                     });
}

}  // namespace transformeter
