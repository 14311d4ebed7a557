// The formulas of the header, term by term.
#include "spec/formulas.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace transformeter {

namespace {

void check_shape(std::string_view task, std::int64_t batch, std::int64_t sequence_length) {
  const std::vector<std::string> tasks = encoder_tasks();
  if (std::find(tasks.begin(), tasks.end(), task) == tasks.end()) throw unknown_value("task", task, tasks);
  if (batch < 1) throw bad_value("batch", std::to_string(batch), "a whole number of at least 1");
  if (sequence_length < 1) {
    throw bad_value("sequence_length", std::to_string(sequence_length), "a whole number of at least 1");
  }
}

double head_flops_per_row(const ModelConfig& config, std::string_view task, double t) {
  const auto c = static_cast<double>(config.hidden_size);
  const auto labels = static_cast<double>(config.num_labels);
  if (task == "sequence_classification") return 2 * c * c + 2 * c * labels;
  if (task == "token_classification") return t * 2 * c * labels;
  if (task == "question_answering") return t * 2 * c * 2;
  if (task == "masked_lm") return t * (2 * c * c + 2 * c * static_cast<double>(config.vocab_size));
  return 0;
}

}  // namespace

std::int64_t parameter_count(const std::vector<TensorSpec>& inventory) {
  std::int64_t count = 0;
  for (const TensorSpec& tensor : inventory) count += tensor.element_count();
  return count;
}

std::int64_t weight_bytes(const std::vector<TensorSpec>& inventory, std::int64_t bytes_per_element) {
  return parameter_count(inventory) * bytes_per_element;
}

double forward_flops(const ModelConfig& config, std::string_view task, std::int64_t batch,
                     std::int64_t sequence_length) {
  check_shape(task, batch, sequence_length);
  const auto b = static_cast<double>(batch);
  const auto t = static_cast<double>(sequence_length);
  const auto c = static_cast<double>(config.hidden_size);
  const auto i = static_cast<double>(config.intermediate_size);
  const double projections = 4 * 2 * t * c * c;
  const double feed_forward = 2 * 2 * t * c * i;
  const double attention = 2 * 2 * t * t * c;
  const double layers = static_cast<double>(config.num_layers) * (projections + feed_forward + attention);
  return b * (layers + head_flops_per_row(config, task, t));
}

}  // namespace transformeter
