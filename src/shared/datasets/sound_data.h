// Data sets of sounds as `--data` names them: files by their paths, with a class or a transcript each.
#pragma once

#include <cstdint>
#include <filesystem>

#include "audio/load_audio.h"
#include "datasets/dataset.h"

namespace transformeter {

/// What read_media_data reads of sounds for a task on them: of speech recognition with transcripts, of others with
/// classes. A folder of classes with Speech Commands' lists has its splits (speech_commands.h).
DataSet load_sound_data(const std::filesystem::path& path, Task task, const DataOptions& options = {});

/// Decoded and brought to that rate. Throws as load_audio.
Waveform waveform_of(const Example& example, std::int64_t sampling_rate);

}  // namespace transformeter
