// What the batch size does to memory, in the words of what a task reads.
#include "measure/fitting_batch.h"

#include <fmt/format.h>

#include <string_view>

#include "schema/task.h"

namespace transformeter {
namespace {

// What differs in length, so that the largest batch has the longest of it; empty where all batches are as large.
std::string_view longest_inputs(const TrainingBatch& batch, const Case& request) {
  if (has_captions(request.task)) return request.has_data_file() ? "captions" : "";
  switch (modality_of(request.task)) {
    case Modality::kImage:
      return "";
    case Modality::kAudio:
      return request.has_data_file() ? "sounds" : "";
    case Modality::kText:
      break;
  }
  return batch.label_kind == LabelKind::kTarget ? "texts and targets" : "texts";
}

// "a single row of 128 tokens".
std::string smallest_batch(const TrainingBatch& batch, const Case& request) {
  if (has_captions(request.task)) {
    return fmt::format("one of {}, each a pair of an image and a caption of {} tokens", least_batch_size(request.task),
                       batch.target_length);
  }
  switch (modality_of(request.task)) {
    case Modality::kImage:
      return "a single image";
    case Modality::kAudio:
      return fmt::format("a single sound of {} samples", batch.inputs.sounds->samples);
    case Modality::kText:
      break;
  }
  return fmt::format("a single row of {} tokens", batch.inputs.sequence_length);
}

// The setting by which an input becomes smaller; empty where there is none.
std::string_view shorter_input(const Case& request) {
  if (reads_audio(request.task)) return request.has_data_file() ? "" : "a shorter audio_seconds, ";
  return reads_images(request.task) && !has_captions(request.task) ? "" : "a shorter sequence_length, ";
}

}  // namespace

std::string fitting_batch_text(const TrainingBatch& largest, const Case& request, std::int64_t rows) {
  const std::string_view inputs = longest_inputs(largest, request);
  const std::int64_t times = (request.batch_size + rows - 1) / rows * request.gradient_accumulation;
  return fmt::format(
      "batch_size {} does not fit into memory; batch_size {} does{}; with gradient_accumulation {} its steps have {} "
      "rows{}",
      request.batch_size, rows, inputs.empty() ? "" : fmt::format(", even with the longest {}", inputs), times,
      times * rows, has_captions(request.task) ? ", but each is held against those of its own batch alone" : "");
}

std::string no_fitting_batch_text(const TrainingBatch& largest, const Case& request) {
  return fmt::format(
      "batch_size {} does not fit into memory, nor does {}: a higher memory_limit, {}gradient_checkpointing on or an "
      "optimizer with less state (adafactor, sgd) may help",
      request.batch_size, smallest_batch(largest, request), shorter_input(request));
}

}  // namespace transformeter
