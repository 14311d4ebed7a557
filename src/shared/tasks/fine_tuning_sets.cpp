// Of running text there is nothing to hold back but other text.
#include "tasks/fine_tuning_sets.h"

#include <fmt/format.h>

namespace transformeter {

DataOptions FineTuningSource::scored_data() const {
  DataOptions columns = data;
  columns.split = options.evaluation_split;
  return columns;
}

FineTuningSets running_text_sets(const FineTuningSource& source) {
  if (source.options.evaluation_share > 0) {
    throw Error(
        ErrorKind::kBadInput,
        fmt::format(
            "task {} has no single examples to hold out for evaluation_share; set --evaluation-data to another text",
            name_of(source.rows.task)));
  }
  FineTuningSets sets;
  sets.rows = read_training_rows(source.path, source.data, *source.tokenizer, source.rows);
  const std::string& file = source.options.evaluation_data;
  if (file.empty()) return sets;
  TrainingRowsOptions all = source.rows;
  all.limit.reset();  // of what is learnt from
  sets.scored_rows = read_training_rows(file, source.scored_data(), *source.tokenizer, all);
  return sets;
}

}  // namespace transformeter
