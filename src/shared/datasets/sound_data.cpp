#include "datasets/sound_data.h"

#include "datasets/media_data.h"
#include "datasets/speech_commands.h"

namespace transformeter {
namespace {

DataSet read_sound_data(const std::filesystem::path& path, Task task, const DataOptions& options) {
  const RowAnswer answer = task == Task::kSpeechRecognition ? RowAnswer::kTranscript : RowAnswer::kLabel;
  if (options.split.empty() || !has_split_lists(path)) return read_media_data(path, options, kSoundFiles, answer);
  DataOptions whole = options;
  whole.split.clear();
  DataSet data = read_media_data(path, whole, kSoundFiles, answer);
  keep_split(data, path, options.split);
  return data;
}

}  // namespace

DataSet load_sound_data(const std::filesystem::path& path, Task task, const DataOptions& options) {
  DataSet data = with_system_errors(kSoundFiles, [&] { return read_sound_data(path, task, options); });
  data.task = task;
  return data;
}

Waveform waveform_of(const Example& example, std::int64_t sampling_rate) {
  if (example.file != nullptr) return load_audio(*example.file, example.text, sampling_rate);
  return load_audio(std::filesystem::path(example.text), sampling_rate);
}

}  // namespace transformeter
