// Answers first, evidence below.
#include "report/recommendation_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/results.h"
#include "report/display_text.h"
#include "report/finding_json.h"
#include "schema/record.h"

namespace transformeter {
namespace {

std::string answer_text(const Recommendation& one) {
  if (one.options.empty()) return "no answer";
  if (one.subject == "learning_rate" && one.options.size() > 1) {
    return fmt::format("{} to {}", one.options.front(), one.options.back());
  }
  const char* separator = one.state == RecommendationState::kNotDistinguishable ? " or " : ", ";
  return fmt::format("{}", fmt::join(one.options, separator));
}

void append_recommendation(std::string& text, const Recommendation& one) {
  append_line(text, fmt::format("{}: {} ({})", one.subject, answer_text(one), name_of(one.state)));
  if (!one.statement.empty()) append_line(text, "  " + one.statement);
  if (!one.reason.empty()) append_line(text, "  because: " + one.reason);
  if (one.sets.size() > 1) {
    append_line(text,
                fmt::format("  {} of {} sets of cases that differ only in it agree", one.agreeing, one.sets.size()));
  }
  for (const std::string& limit : one.not_compared) append_line(text, "  not compared: " + limit);
}

Json option_json(const ComparedOption& one) {
  Json beside = Json::array();
  for (const EvidenceFigure& figure : one.beside) beside.push_back(figure_json(figure));
  return {{"option", one.option},
          {"figure", figure_json(one.figure)},
          {"beside", std::move(beside)},
          {"conditions", text_or_null(one.conditions)},
          {"doubt", text_or_null(one.doubt)},
          {"is_chosen", one.is_chosen},
          {"why_not", text_or_null(one.why_not)}};
}

Json set_json(const ComparedSet& set) {
  Json json = {{"settings", set.settings},
               {"criterion", set.criterion},
               {"first_steps", set.first_steps ? Json(*set.first_steps) : Json()},
               {"between_replicates", set.between_replicates},
               {"options", Json::array()},
               {"without_figure", Json::array()},
               {"answer", text_or_null(set.answer)}};
  for (const ComparedOption& one : set.options) json["options"].push_back(option_json(one));
  for (const OptionWithoutFigure& one : set.without_figure) {
    json["without_figure"].push_back(
        {{"option", one.option}, {"case", one.case_id}, {"why", one.why}, {"has_diverged", one.has_diverged}});
  }
  return json;
}

Json answer_json(const Recommendation& one) {
  Json json = {{"subject", one.subject},
               {"state", name_of(one.state)},
               {"options", one.options},
               {"statement", text_or_null(one.statement)},
               {"reason", text_or_null(one.reason)},
               {"sets", Json::array()},
               {"agreeing_sets", one.agreeing},
               {"not_compared", one.not_compared}};
  for (const ComparedSet& set : one.sets) json["sets"].push_back(set_json(set));
  return json;
}

// Its content, where another has the same names.
std::string workload_title(const WorkloadRecommendation& one, const std::vector<WorkloadRecommendation>& all) {
  const auto names_of = [](const WorkloadRecommendation& workload) {
    return fmt::format("{}, {}, {}", workload.model, workload.task, workload.data);
  };
  const auto alike = std::count_if(
      all.begin(), all.end(), [&](const WorkloadRecommendation& other) { return names_of(other) == names_of(one); });
  if (alike < 2) return names_of(one);
  return fmt::format("{} (content {})", names_of(one), one.content.empty() ? "unknown" : one.content);
}

}  // namespace

std::string recommendation_text(const std::vector<WorkloadRecommendation>& workloads) {
  std::string text;
  for (const WorkloadRecommendation& workload : workloads) {
    append_line(text, fmt::format("{}: {} cases", workload_title(workload, workloads), workload.cases.size()));
    for (const Recommendation& one : workload.recommendations) append_recommendation(text, one);
    for (const std::string& left : workload.left_out) append_line(text, "excluded: " + left);
    text += "\n";
  }
  append_line(text,
              "95 % intervals; supported means intervals over 3 or more processes; docs/training-diagnosis.md explains "
              "how each answer is found");
  return text;
}

Json recommendation_json(const std::vector<WorkloadRecommendation>& workloads) {
  Json json = {{"schema_version", kResultSchemaVersion}, {"purpose", "training"}, {"workloads", Json::array()}};
  for (const WorkloadRecommendation& workload : workloads) {
    Json one = {{"model", workload.model},         {"task", workload.task},
                {"data", workload.data},           {"content", text_or_null(workload.content)},
                {"cases", workload.cases},         {"left_out", workload.left_out},
                {"recommendations", Json::array()}};
    for (const Recommendation& answer : workload.recommendations) one["recommendations"].push_back(answer_json(answer));
    json["workloads"].push_back(std::move(one));
  }
  return json;
}

}  // namespace transformeter
