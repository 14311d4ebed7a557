// Reads single values from a case's requested and effective JSON, where any key may be missing.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>

#include "base/json.h"
#include "schema/task.h"

namespace transformeter {

/// The value under nested keys; nothing when a key is missing or the value is of another kind.
std::optional<double> number_of_path(const Json& json, std::initializer_list<const char*> keys);
std::optional<std::string> text_of_path(const Json& json, std::initializer_list<const char*> keys);
std::optional<bool> flag_of_path(const Json& json, std::initializer_list<const char*> keys);

/// Whether the case's task is one that `has` says so of; true where none is recorded, false for one that is not known
/// here, as a newer version's.
bool task_has(const Json& requested, const std::function<bool(Task)>& has);

/// False where no task is recorded, or none that is known here.
bool reads_images(const Json& requested);
/// Likewise.
bool reads_audio(const Json& requested);
/// Likewise: whether each image comes with a text.
bool has_captions(const Json& requested);

/// Whether texts fill rows of a fixed length, as Case::has_filled_rows has it.
bool has_filled_rows(const Json& requested);

}  // namespace transformeter
