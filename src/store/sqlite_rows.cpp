// One function per table and direction. What is read is trusted no more than any other file.
#include "store/sqlite_rows.h"

#include <fmt/format.h>

#include "base/error.h"

namespace transformeter {
namespace {

std::optional<std::string_view> status_text(const std::optional<Status>& status) {
  if (!status) return std::nullopt;
  return name_of(*status);
}

std::string what(const Database& database, std::string_view document) {
  return fmt::format("the store '{}' is damaged: its '{}'", database.path().string(), document);
}

void insert_series(Database& database, std::int64_t replicate_row, const std::vector<Series>& series) {
  Statement insert(database,
                   "INSERT INTO series (replicate, name, unit, rank, value, start_s, batch_index, examples, "
                   "useful_tokens, processed_tokens, flags) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const Series& one : series) {
    const std::string value = column_bytes(one.value);
    const std::string start = column_bytes(one.start_s);
    const std::string index = column_bytes(one.index);
    const std::string examples = column_bytes(one.examples);
    const std::string useful = column_bytes(one.useful_tokens);
    const std::string processed = column_bytes(one.processed_tokens);
    const std::string flags = column_bytes(one.flags);
    insert.bind(replicate_row, one.name, one.unit, one.rank, Blob{value}, Blob{start}, Blob{index}, Blob{examples},
                Blob{useful}, Blob{processed}, Blob{flags});
    insert.run();
  }
}

void insert_case(Database& database, std::int64_t run_row, const CaseRecord& one) {
  Statement insert(database,
                   "INSERT INTO plan_case (run, id, position, plan_key, key, workload_key, requested, effective, "
                   "launch, status, status_reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(run_row, one.id, one.position, one.plan_key, one.key, one.workload_key, canonical_json(one.requested),
              canonical_json(one.effective), canonical_json(one.launch), status_text(one.status), one.status_reason);
  insert.run();
  const std::int64_t case_row = sqlite3_last_insert_rowid(database.handle());
  for (const ReplicateRecord& replicate : one.replicates) insert_replicate(database, case_row, replicate);
}

template <typename T>
void read_column(const Statement& row, int column, std::size_t count, std::vector<T>& values) {
  values = column_values<T>(row.blob(column));
  if (!values.empty() && values.size() != count) {
    throw Error(ErrorKind::kProtocol, fmt::format("a column has {} values, the series {}", values.size(), count));
  }
}

Series read_one_series(const Statement& row) {
  Series series;
  series.name = row.text(0);
  series.unit = row.text(1);
  series.rank = row.small_integer(2);
  series.value = column_values<double>(row.blob(3));
  const std::size_t count = series.value.size();
  read_column(row, 4, count, series.start_s);
  read_column(row, 5, count, series.index);
  read_column(row, 6, count, series.examples);
  read_column(row, 7, count, series.useful_tokens);
  read_column(row, 8, count, series.processed_tokens);
  read_column(row, 9, count, series.flags);
  return series;
}

Status read_status(const Database& database, std::string_view text) {
  try {
    return status_from_name(text);
  } catch (const Error& error) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: {}", what(database, "status"), error.what()));
  }
}

CaseRecord read_one_case(const Database& database, const Statement& row, Detail detail) {
  CaseRecord one;
  one.id = row.text(1);
  one.position = row.small_integer(2);
  one.plan_key = row.text(3);
  one.key = row.text(4);
  one.workload_key = row.text(5);
  if (const auto status = row.optional_text(6)) one.status = read_status(database, *status);
  one.status_reason = row.text(7);
  if (detail == Detail::kList) return one;
  one.requested = parse_json(what(database, "requested"), row.blob(8));
  one.effective = parse_json(what(database, "effective"), row.blob(9));
  one.launch = parse_json(what(database, "launch"), row.blob(10));
  return one;
}

}  // namespace

void insert_run(Database& database, const RunRecord& run) {
  Statement insert(database,
                   "INSERT INTO run (id, name, started_at, replicates_planned, host, settings) "
                   "VALUES (?, ?, ?, ?, ?, ?)");
  insert.bind(run.id, run.name, run.started_at, run.replicates_planned, canonical_json(run.host),
              canonical_json(run.settings));
  insert.run();
  const std::int64_t run_row = sqlite3_last_insert_rowid(database.handle());
  for (const CaseRecord& one : run.cases) insert_case(database, run_row, one);
}

bool insert_replicate(Database& database, std::int64_t case_row, const ReplicateRecord& replicate) {
  Statement insert(database,
                   "INSERT INTO replicate (plan_case, replicate_index, started_at, ranks, status, status_reason) "
                   "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (plan_case, replicate_index) DO NOTHING");
  insert.bind(case_row, replicate.index, replicate.started_at, replicate.ranks, name_of(replicate.status),
              replicate.status_reason);
  insert.run();
  if (database.changes() == 0) return false;
  insert_series(database, sqlite3_last_insert_rowid(database.handle()), replicate.series);
  return true;
}

void update_case(Database& database, std::int64_t case_row, const CaseRecord& the_case) {
  Statement rows(database, "SELECT status, status_reason FROM replicate WHERE plan_case = ? ORDER BY replicate_index");
  rows.bind(case_row);
  std::vector<ReplicateRecord> replicates;
  while (rows.step()) {
    ReplicateRecord& replicate = replicates.emplace_back();
    replicate.status = read_status(database, rows.text(0));
    replicate.status_reason = rows.text(1);
  }
  const std::optional<Status> status = case_status(replicates);
  const auto text_of = [](const Json& json) { return json.empty() ? std::string() : canonical_json(json); };
  Statement update(database,
                   "UPDATE plan_case SET key = coalesce(nullif(?, ''), key), "
                   "workload_key = coalesce(nullif(?, ''), workload_key), "
                   "effective = coalesce(nullif(?, ''), effective), launch = coalesce(nullif(?, ''), launch), "
                   "status = ?, status_reason = ? WHERE sequence = ?");
  update.bind(the_case.key, the_case.workload_key, text_of(the_case.effective), text_of(the_case.launch),
              status_text(status), status == Status::kOk ? std::string() : replicates.back().status_reason, case_row);
  update.run();
}

std::vector<RunRow> read_runs(Database& database) {
  Statement rows(database,
                 "SELECT sequence, id, name, started_at, replicates_planned, host, settings FROM run "
                 "ORDER BY started_at DESC, sequence DESC");
  std::vector<RunRow> runs;
  while (rows.step()) {
    RunRow& entry = runs.emplace_back();
    entry.row = rows.integer(0);
    entry.run.id = rows.text(1);
    entry.run.name = rows.text(2);
    entry.run.started_at = rows.text(3);
    entry.run.replicates_planned = rows.small_integer(4);
    entry.run.host = parse_json(what(database, "host"), rows.blob(5));
    entry.run.settings = parse_json(what(database, "settings"), rows.blob(6));
  }
  return runs;
}

CaseReader::CaseReader(Database& database)
    : database_(database),
      cases_(database,
             "SELECT sequence, id, position, plan_key, key, workload_key, status, status_reason, requested, effective, "
             "launch FROM plan_case WHERE run = ? ORDER BY position, sequence"),
      replicates_(database,
                  "SELECT sequence, replicate_index, started_at, ranks, status, status_reason FROM replicate "
                  "WHERE plan_case = ? ORDER BY replicate_index"),
      series_(database,
              "SELECT name, unit, rank, value, start_s, batch_index, examples, useful_tokens, processed_tokens, flags "
              "FROM series WHERE replicate = ? ORDER BY sequence") {}

std::vector<CaseRecord> CaseReader::cases_of(std::int64_t run_row, Detail detail) {
  cases_.bind(run_row);
  std::vector<CaseRecord> cases;
  while (cases_.step()) {
    cases.push_back(read_one_case(database_, cases_, detail));
    cases.back().replicates = replicates_of(cases_.integer(0), detail);
  }
  return cases;
}

std::vector<ReplicateRecord> CaseReader::replicates_of(std::int64_t case_row, Detail detail) {
  replicates_.bind(case_row);
  std::vector<ReplicateRecord> replicates;
  while (replicates_.step()) {
    ReplicateRecord& replicate = replicates.emplace_back();
    replicate.index = replicates_.small_integer(1);
    replicate.started_at = replicates_.text(2);
    replicate.ranks = replicates_.small_integer(3);
    replicate.status = read_status(database_, replicates_.text(4));
    replicate.status_reason = replicates_.text(5);
    if (detail == Detail::kSeries) replicate.series = series_of(replicates_.integer(0));
  }
  return replicates;
}

std::vector<Series> CaseReader::series_of(std::int64_t replicate_row) {
  series_.bind(replicate_row);
  std::vector<Series> series;
  while (series_.step()) {
    try {
      series.push_back(read_one_series(series_));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kProtocol) throw;
      throw Error(ErrorKind::kBadInput, fmt::format("{}: {}", what(database_, series_.text(0)), error.what()));
    }
  }
  return series;
}

}  // namespace transformeter
