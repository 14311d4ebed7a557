// Values of settings as short names for people.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace transformeter {

/// A setting's value in a case's short name: "b8", "t128", "natural", "p128", "n32", "fp32", "limit=64"; of a
/// model its last part, of data the last two.
std::string setting_label(std::string_view name, const Json& value);

/// A model's or data set's name for a label: the last part of its path, and of "name@COMMIT" 7 digits of the commit.
std::string short_name(std::string_view path);

/// The last part of a path, whatever slashes end it.
std::string last_path_part(std::string_view path);

/// The folder and the file of a data set, as "sst2/dev.tsv": many are called dev.tsv. Of one of the hub likewise, with
/// 7 digits of its commit.
std::string data_path_text(std::string_view path);

}  // namespace transformeter
