// Answers first, evidence below.
#include "report/recommendation_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/results.h"
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

Item recommendation_item(const Recommendation& one) {
  Item item{fmt::format("{} ({})", answer_text(one), name_of(one.state)), one.subject};
  if (!one.statement.empty()) item.details.push_back(one.statement);
  if (!one.reason.empty()) item.details.push_back("because: " + one.reason);
  if (one.sets.size() > 1) {
    item.details.push_back(
        fmt::format("{} of {} sets of cases that differ only in it agree", one.agreeing, one.sets.size()));
  }
  for (const std::string& limit : one.not_compared) item.details.push_back("not compared: " + limit);
  return item;
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

Document recommendation_document(const std::vector<WorkloadRecommendation>& workloads) {
  Document document;
  document.title = "Recommended training settings";
  for (const WorkloadRecommendation& workload : workloads) {
    List list;
    for (const Recommendation& one : workload.recommendations) list.items.push_back(recommendation_item(one));
    for (const std::string& left : workload.left_out) list.items.push_back({"excluded: " + left});
    const std::string title = fmt::format("{}: {} cases", workload_title(workload, workloads), workload.cases.size());
    document.sections.push_back({"", title, {std::move(list)}});
  }
  document.closing = {
      {"",
       "",
       {Paragraph{"95 % intervals; supported means intervals over 3 or more processes; docs/training-diagnosis.md "
                  "explains how each answer is found"}}}};
  return document;
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
