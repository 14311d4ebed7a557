// The machine, as captured when the run began: one row for each plain value, by its path.
#include <fmt/format.h>

#include "report/display_text.h"
#include "report/legend.h"
#include "report/report_sections.h"

namespace transformeter {
namespace {

// `null_reasons` tell why a value is missing and are shown beside it.
std::string value_cell(const Json& parent, const std::string& key, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_null()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  const Json reasons = parent.value("null_reasons", Json::object());
  const bool has_reason = reasons.is_object() && reasons.contains(key) && reasons.at(key).is_string();
  return has_reason ? fmt::format("- ({})", reasons.at(key).get<std::string>()) : "-";
}

void add_environment_rows(Table& table, const Json& json, const std::string& path) {
  for (const auto& [key, value] : json.items()) {
    if (key == "null_reasons") continue;
    const std::string name = path.empty() ? key : path + "." + key;
    if (value.is_object() && !value.empty()) {
      add_environment_rows(table, value, name);
      continue;
    }
    constexpr std::size_t kWidest = 120;
    add_row(table, {name, cut_to_columns(one_line(value_cell(json, key, value)), kWidest)});
  }
}

}  // namespace

std::vector<Block> environment_section(const SectionInput& input) {
  std::vector<Block> blocks{Paragraph{host_line(input.run) + "."}};
  Table table;
  table.caption = "Captured when the run began";
  table.columns = {{"what"}, {"value"}};
  if (input.run.run->host.is_object()) add_environment_rows(table, input.run.run->host, "");
  if (table.row_count() > 0) blocks.emplace_back(Fold{"Full environment", {std::move(table)}});
  return blocks;
}

}  // namespace transformeter
