// Every setting of the plan with its values, and where it came from.
#include <fmt/format.h>

#include "report/report_sections.h"
#include "schema/settings.h"

namespace transformeter {

std::vector<Block> settings_section(const SectionInput& input) {
  const Json& stored = input.run.run->settings;
  const Json settings = stored.is_object() ? stored : Json::object();
  Table table;
  table.caption = "Settings of the plan and their sources";
  table.columns = {{"setting"}, {"values"}, {"origin"}};
  for (const auto& [name, setting] : settings.items()) {
    std::vector<std::string> values;
    const Json list = setting.is_object() ? setting.value("values", Json::array()) : Json::array({setting});
    for (const Json& value : list) values.push_back(setting_text(value));
    const Json origin = setting.is_object() ? setting.value("origin", Json()) : Json();
    add_row(table,
            {name, fmt::format("{}", fmt::join(values, ", ")), origin.is_string() ? origin.get<std::string>() : "-"});
  }
  if (table.row_count() == 0) return {Paragraph{"None were stored."}};
  return {Fold{"All settings", {std::move(table)}}};
}

}  // namespace transformeter
