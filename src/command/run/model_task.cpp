// A task is possible if the checks before a run accept it.
#include "run/model_task.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "base/error.h"
#include "spec/architecture.h"
#include "tasks/task_type.h"

namespace transformeter {
namespace {

// Whether `check` accepts it.
bool is_possible(const std::function<void()>& check) {
  try {
    check();
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnsupported && error.kind() != ErrorKind::kBadInput) throw;
    return false;
  }
}

}  // namespace

Task usual_task(const ModelConfig& config) {
  const Architecture& architecture = *config.architecture;
  if (reads(architecture, Modality::kImage) || reads(architecture, Modality::kAudio)) {
    return tasks_of(architecture).front();
  }
  for (const Task task : {Task::kCausalLm, Task::kSeq2SeqLm, Task::kSequenceClassification}) {
    if (is_possible([&] { check_task(config, task); })) return task;
  }
  return tasks_of(architecture).front();
}

Task usual_trained_task(const ModelConfig& config) {
  const Task usual = usual_task(config);
  if (task_type(usual).loss) return usual;
  const std::vector<Task> tasks = tasks_of(*config.architecture);
  const auto trained = std::find_if(tasks.begin(), tasks.end(), [](Task task) { return task_type(task).loss; });
  return trained == tasks.end() ? usual : *trained;
}

Task task_of_model(const std::string& model, Describer& describer) {
  const ModelDescription& description = describer.model(model);
  const Task usual = usual_task(description.config);
  if (description.identity.contains("preset")) return usual;
  const auto saved = task_of(description.config);
  if (saved && is_possible([&] { check_task(description.config, *saved); })) return *saved;
  for (const Task task : {usual, Task::kMaskedLm, Task::kQuestionAnswering, Task::kTokenClassification,
                          Task::kEmbedding, Task::kImageEmbedding, Task::kAudioClassification, Task::kAudioEmbedding}) {
    if (is_possible([&] { describer.check_task(model, task); })) return task;
  }
  return usual;
}

Task task_of_model_with_classes(const std::string& model, Describer& describer) {
  const Architecture& architecture = *describer.model(model).config.architecture;
  const std::vector<Task> tasks = tasks_of(architecture);
  const auto zero_shot = std::find_if(tasks.begin(), tasks.end(), &is_zero_shot);
  return zero_shot == tasks.end() ? task_of_model(model, describer) : *zero_shot;
}

}  // namespace transformeter
