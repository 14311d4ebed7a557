// A store of another version, or one that was edited, may hold other forms: what cannot be read is left out.
#include "report/engine_choice_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "schema/baseline.h"

namespace transformeter {
namespace {

std::string start_text(const Json& choice) {
  const auto start = choice.at("start").get<std::string>();
  return start == "auto" ? "the worker's own choice" : "engine " + start;
}

std::string changes_text(const Json& choice) {
  const std::string start = start_text(choice);
  const Json& changes = choice.at("changes");
  return changes.empty() ? start : fmt::format("{} with {}", start, baseline_text(changes));
}

std::string gain_text(const Json& choice) {
  const auto tried = counted(choice.at("tried").get<std::size_t>(), "other choice") + " tried";
  const auto end = choice.at("end").get<std::string>();
  if (end == "no_better") return "none was better, " + tried;
  if (end == "out_of_time" && choice.at("tried") == 0) return "the trials had no time to try another choice";
  if (end == "out_of_time") return "the trials ran out of time before one was shown to be better, " + tried;
  if (end == "no_room") return "not tried, since memory does not hold two workers at once";
  if (end == "no_start") return "nothing to compare with: " + choice.at("reason").get<std::string>();
  const std::string more = choice.at("all_compared").get<bool>() ? "" : ", out of time before all were compared";
  if (choice.at("objective") == "memory") {
    return fmt::format("{:.2f} times the memory of {}, {}{}", choice.at("memory_ratio").get<double>(),
                       start_text(choice), tried, more);
  }
  const Json& speed_up = choice.at("speed_up");
  return fmt::format("{}{:.2f} ({:.2f} to {:.2f}) times as fast as {}, {}{}", end == "likely_better" ? "probably " : "",
                     speed_up.at("value").get<double>(), speed_up.at("low").get<double>(),
                     speed_up.at("high").get<double>(), start_text(choice), tried, more);
}

}  // namespace

std::string engine_choice_text(const Json& choice) try {
  return fmt::format("{}; {}", changes_text(choice), gain_text(choice));
} catch (const Json::exception&) {
  return "";
}

std::vector<std::string> engine_choice_lines(const AnalyzedRun& run) {
  if (!run.run->host.is_object()) return {};
  const Json choices = run.run->host.value("engine_choices", Json());
  if (!choices.is_object()) return {};
  std::vector<std::string> lines;
  for (const AnalyzedCase& one : run.cases) {
    const auto choice = choices.find(one.record->id);
    const std::string text = choice == choices.end() ? "" : engine_choice_text(*choice);
    if (!text.empty()) lines.push_back(fmt::format("{}: settings chosen by trials: {}", one.label, text));
  }
  return lines;
}

}  // namespace transformeter
