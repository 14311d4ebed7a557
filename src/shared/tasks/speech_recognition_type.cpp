// Speech recognition: what is said in a sound, by tokenizers/ctc_vocabulary.h.
#include "tasks/task_type.h"

namespace transformeter {

TaskType speech_recognition_type() {
  TaskType type;
  type.task = Task::kSpeechRecognition;
  return type;
}

}  // namespace transformeter
