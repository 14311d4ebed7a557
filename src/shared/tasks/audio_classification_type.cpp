// Audio classification: a class for a sound.
#include "tasks/class_answers.h"
#include "tasks/task_type.h"

namespace transformeter {

TaskType audio_classification_type() {
  TaskType type;
  type.task = Task::kAudioClassification;
  type.answer_of_output = class_of_output;
  return type;
}

}  // namespace transformeter
