// How a case is named in a line.
#include "run/progress.h"

#include <fmt/format.h>

#include <filesystem>

#include "terms/settings.h"

namespace transformeter {

std::string case_label(const Json& requested) {
  const auto text = [&](const char* name) {
    const auto found = requested.find(name);
    return found == requested.end() ? std::string() : setting_text(*found);
  };
  const auto last_part = [&](const char* name) {
    const std::filesystem::path path(text(name));
    return (path.has_filename() ? path.filename() : path.parent_path().filename()).string();
  };
  const std::string length = text("sequence_length");
  std::string label = fmt::format("{} b{} {}{} {} {}", last_part("model"), text("batch_size"),
                                  length == "natural" ? "" : "t", length, text("precision"), text("attention"));
  if (text("attention_mask") == "off") label.append(" mask-off");
  for (const char* name : {"task", "data", "limit"}) {
    if (text(name) != setting_term(name).initial) label.append(fmt::format(" {}", last_part(name)));
  }
  return label;
}

}  // namespace transformeter
