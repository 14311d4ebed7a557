// What the run says, in sentences; the most important first.
#include "report/answers.h"
#include "report/chips.h"
#include "report/engine_choice_text.h"
#include "report/legend.h"
#include "report/report_sections.h"

namespace transformeter {

std::vector<Block> results_section(const SectionInput& input) {
  const AnalyzedRun& run = input.run;
  std::vector<Block> blocks;
  if (!run.cases.empty()) blocks.emplace_back(ChipRow{"Results of the cases", result_counts(run)});
  constexpr std::size_t kLeadSentences = 3;
  List sentences = list_of(answers(run), "more sentences");
  sentences.lead_count = kLeadSentences;
  std::vector<std::string> origins = weights_lines(run);
  for (std::string& line : workload_lines(run)) origins.push_back(std::move(line));
  if (std::string line = products_line(run); !line.empty()) origins.push_back(std::move(line));
  if (std::string line = attention_line(run); !line.empty()) origins.push_back(std::move(line));
  for (std::string& line : engine_choice_lines(run)) origins.push_back(std::move(line));
  blocks.emplace_back(std::move(sentences));
  blocks.emplace_back(list_of(origins));
  List unfinished = list_of(unfinished_lines(run), "more cases without results");
  if (!unfinished.items.empty()) blocks.emplace_back(std::move(unfinished));
  return blocks;
}

}  // namespace transformeter
