// Runs are read once, and every case is written to both files before the next is read.
#include "report/csv_export.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/output.h"
#include "report/csv.h"
#include "schema/settings.h"
#include "store/export_jsonl.h"

namespace transformeter {
namespace {

constexpr std::string_view kSampleHeading =
    "run_id,case_id,replicate,rank,series,unit,sample,value,start_s,index,examples,useful_tokens,processed_tokens,"
    "flags\r\n";

template <typename T>
void append_field(std::string& line, const std::vector<T>& column, std::size_t row) {
  line.push_back(',');
  if (row < column.size()) fmt::format_to(std::back_inserter(line), "{}", column[row]);
}

// Values that are not numbers have the words of the JSON Lines export.
void append_number(std::string& line, const std::vector<double>& column, std::size_t row) {
  line.push_back(',');
  if (row >= column.size()) return;
  if (std::isnan(column[row])) {
    line.append("NaN");
  } else if (std::isinf(column[row])) {
    line.append(column[row] > 0 ? "Infinity" : "-Infinity");
  } else {
    append_sample(line, column[row]);
  }
}

std::string sample_lines(const std::string& identity, const Series& series) {
  const std::string start =
      fmt::format("{},{},{},{}", identity, series.rank, csv_field(series.name), csv_field(series.unit));
  std::string lines;
  for (std::size_t row = 0; row < series.value.size(); ++row) {
    fmt::format_to(std::back_inserter(lines), "{},{}", start, row);
    append_number(lines, series.value, row);
    append_number(lines, series.start_s, row);
    append_field(lines, series.index, row);
    append_field(lines, series.examples, row);
    append_field(lines, series.useful_tokens, row);
    append_field(lines, series.processed_tokens, row);
    append_field(lines, series.flags, row);
    lines.append("\r\n");
  }
  return lines;
}

// One line for each plain value, named by its path: "cpu.model", "caches.0.size_bytes".
void append_environment(std::string& lines, const std::string& run_id, const std::string& name, const Json& value) {
  if (value.is_structured()) {
    std::size_t place = 0;
    for (auto element = value.begin(); element != value.end(); ++element, ++place) {
      const std::string part = value.is_object() ? element.key() : std::to_string(place);
      append_environment(lines, run_id, name.empty() ? part : name + "." + part, *element);
    }
    return;
  }
  lines.append(fmt::format("{},{},{}\r\n", csv_field(run_id), csv_field(name),
                           value.is_null() ? "" : csv_field(setting_text(value))));
}

void write_samples(const RunRecord& run, const CaseRecord& one, AtomicFile& samples) {
  for (const ReplicateRecord& replicate : one.replicates) {
    const std::string identity = fmt::format("{},{},{}", csv_field(run.id), csv_field(one.id), replicate.index);
    for (const Series& series : replicate.series) samples.write(sample_lines(identity, series));
  }
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directory(folder, code);
  if (!std::filesystem::is_directory(folder)) {
    throw Error(ErrorKind::kEnvironment, fmt::format("cannot create the folder '{}': {}", folder.string(),
                                                     code ? code.message() : "a file of that name exists"));
  }
}

// Tables are of results; trials are there where they are named.
std::vector<std::string> exported_ids(Store& store, const std::vector<std::string>& selectors) {
  std::vector<std::string> ids = runs_in_export_order(store, selectors);
  if (!selectors.empty()) return ids;
  std::set<std::string> trials;
  for (const RunRecord& run : store.list_runs()) {
    if (run.role == RunRole::kTrial) trials.insert(run.id);
  }
  std::erase_if(ids, [&](const std::string& id) { return trials.contains(id); });
  return ids;
}

}  // namespace

ExportCount export_csv(Store& store, const std::vector<std::string>& selectors, const std::filesystem::path& folder,
                       const std::function<void()>& before_case) {
  const std::vector<std::string> ids = exported_ids(store, selectors);
  make_folder(folder);
  AtomicFile cases(folder / kCsvFiles[0]);
  AtomicFile samples(folder / kCsvFiles[1]);
  AtomicFile environment(folder / kCsvFiles[2]);
  CsvResults results([&](std::string_view text) { cases.write(text); });
  samples.write(kSampleHeading);
  environment.write("run_id,name,value\r\n");
  ExportCount count;
  RunRecord now;
  RunVisitor visitor;
  visitor.on_run = [&](RunRecord&& run) {
    now = std::move(run);
    results.begin_run(now);
    std::string lines;
    append_environment(lines, now.id, "", now.host);
    environment.write(lines);
    ++count.runs;
  };
  visitor.on_case = [&](CaseRecord&& one) {
    before_case();
    results.add_case(one);
    write_samples(now, one, samples);
    ++count.cases;
    count.replicates += one.replicates.size();
  };
  for (const std::string& id : ids) {
    RunQuery query;
    query.selector = id;
    query.detail = Detail::kSeries;
    store.visit(query, visitor);
  }
  results.finish();
  // All are on the disk before the first gets its name, so that hardly anything can come between the names.
  for (AtomicFile* file : {&cases, &samples, &environment}) file->flush();
  for (AtomicFile* file : {&cases, &samples, &environment}) file->commit();
  return count;
}

}  // namespace transformeter
