// One function per table and direction. What is read is trusted no more than any other file.
#include "store/sqlite_rows.h"

#include <fmt/format.h>

#include "base/error.h"
#include "store/case_outcome.h"

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

RunRole read_role(const Database& database, std::string_view text) {
  try {
    return run_role_from_name(text);
  } catch (const Error& error) {
    throw Error(ErrorKind::kBadInput, fmt::format("{}: {}", what(database, "role"), error.what()));
  }
}

// A store of an earlier version, opened for reading, holds results alone.
std::string_view role_column(Database& database) {
  return database.integer("SELECT count(*) FROM pragma_table_info('run') WHERE name = 'role'") == 0 ? "'result'"
                                                                                                    : "role";
}

}  // namespace

std::int64_t insert_run(Database& database, const RunRecord& run) {
  Statement insert(database,
                   "INSERT INTO run (id, name, started_at, replicates_planned, host, settings, role) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?)");
  insert.bind(run.id, run.name, run.started_at, run.replicates_planned, canonical_json(run.host),
              canonical_json(run.settings), name_of(run.role));
  insert.run();
  const std::int64_t run_row = sqlite3_last_insert_rowid(database.handle());
  for (const CaseRecord& one : run.cases) insert_case(database, run_row, one);
  return run_row;
}

std::int64_t insert_case(Database& database, std::int64_t run_row, const CaseRecord& one) {
  Statement insert(database,
                   "INSERT INTO plan_case (run, id, position, plan_key, key, workload_key, requested, effective, "
                   "launch, status, status_reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const CaseOutcome outcome = case_outcome(one.replicates, {one.status, one.status_reason});
  insert.bind(run_row, one.id, one.position, one.plan_key, one.key, one.workload_key, canonical_json(one.requested),
              canonical_json(one.effective), canonical_json(one.launch), status_text(outcome.status), outcome.reason);
  insert.run();
  const std::int64_t case_row = sqlite3_last_insert_rowid(database.handle());
  for (const ReplicateRecord& replicate : one.replicates) insert_replicate(database, case_row, replicate);
  if (one.summary) keep_summary(database, case_row, one);
  return case_row;
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

std::optional<std::int64_t> find_case(Database& database, std::string_view run_id, std::string_view case_id) {
  Statement find(database,
                 "SELECT c.sequence FROM plan_case c JOIN run r ON r.sequence = c.run WHERE r.id = ? AND c.id = ?");
  if (!find.bind(run_id, case_id).step()) return std::nullopt;
  return find.integer(0);
}

bool delete_replicate(Database& database, std::int64_t case_row, int index) {
  Statement remove(database, "DELETE FROM replicate WHERE plan_case = ? AND replicate_index = ?");
  remove.bind(case_row, index);
  remove.run();
  return database.changes() > 0;
}

// Replicates are never taken away and their series only grow, so as many replicates and samples are the same ones.
void keep_summary(Database& database, std::int64_t case_row, const CaseRecord& one) {
  Statement keep(database,
                 "INSERT OR REPLACE INTO summary (plan_case, version, document) "
                 "SELECT ?1, ?2, ?3 WHERE (SELECT count(*) FROM replicate WHERE plan_case = ?1) = ?4 AND "
                 "(?5 < 0 OR (SELECT coalesce(sum(length(s.value)), 0) FROM series s JOIN replicate r "
                 "ON s.replicate = r.sequence WHERE r.plan_case = ?1 AND s.name = 'latency') = 8 * ?5)");
  keep.bind(case_row, one.summary->version, one.summary->document, static_cast<std::int64_t>(one.replicates.size()),
            one.summary->sample_count.value_or(-1));
  keep.run();
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
  const CaseOutcome outcome = case_outcome(replicates, {the_case.status, the_case.status_reason});
  const auto text_of = [](const Json& json) { return json.empty() ? std::string() : canonical_json(json); };
  Statement update(database,
                   "UPDATE plan_case SET key = coalesce(nullif(?, ''), key), "
                   "workload_key = coalesce(nullif(?, ''), workload_key), "
                   "effective = coalesce(nullif(?, ''), effective), launch = coalesce(nullif(?, ''), launch), "
                   "status = ?, status_reason = ? WHERE sequence = ?");
  update.bind(the_case.key, the_case.workload_key, text_of(the_case.effective), text_of(the_case.launch),
              status_text(outcome.status), outcome.reason, case_row);
  update.run();
  Statement drop(database, "DELETE FROM summary WHERE plan_case = ?");
  drop.bind(case_row).run();
}

std::vector<RunEntry> list_entries(Database& database) {
  Statement rows(database, fmt::format("SELECT sequence, id, name, {} FROM run ORDER BY started_at DESC, sequence DESC",
                                       role_column(database)));
  std::vector<RunEntry> runs;
  while (rows.step()) {
    const RunRole role = read_role(database, rows.text(3));
    runs.push_back({rows.integer(0), {rows.text(1), rows.text(2), role}});
  }
  return runs;
}

RunRecord read_run(Database& database, std::int64_t run_row) {
  Statement row(database, fmt::format("SELECT id, name, started_at, replicates_planned, host, settings, {} FROM run "
                                      "WHERE sequence = ?",
                                      role_column(database)));
  row.bind(run_row).step();
  RunRecord run;
  run.id = row.text(0);
  run.name = row.text(1);
  run.started_at = row.text(2);
  run.replicates_planned = row.small_integer(3);
  run.host = parse_json(what(database, "host"), row.blob(4));
  run.settings = parse_json(what(database, "settings"), row.blob(5));
  run.role = read_role(database, row.text(6));
  return run;
}

// A store of the first version, opened for reading, has no summaries.
CaseReader::CaseReader(Database& database)
    : database_(database),
      cases_(database,
             database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'summary'") == 0
                 ? "SELECT sequence, id, position, plan_key, key, workload_key, status, status_reason, requested, "
                   "effective, launch, NULL, NULL FROM plan_case WHERE run = ?1 AND (?2 = '' OR id = ?2) "
                   "ORDER BY position, id"
                 : "SELECT c.sequence, c.id, c.position, c.plan_key, c.key, c.workload_key, c.status, "
                   "c.status_reason, c.requested, c.effective, c.launch, s.version, s.document FROM plan_case c "
                   "LEFT JOIN summary s ON s.plan_case = c.sequence WHERE c.run = ?1 AND (?2 = '' OR c.id = ?2) "
                   "ORDER BY c.position, c.id"),
      replicates_(database,
                  "SELECT sequence, replicate_index, started_at, ranks, status, status_reason FROM replicate "
                  "WHERE plan_case = ?1 AND (?2 IS NULL OR replicate_index = ?2) ORDER BY replicate_index"),
      series_(database,
              "SELECT name, unit, rank, value, start_s, batch_index, examples, useful_tokens, processed_tokens, flags "
              "FROM series WHERE replicate = ? ORDER BY sequence") {}

void CaseReader::visit_cases(std::int64_t run_row, const RunQuery& query,
                             const std::function<void(CaseRecord&&)>& on_case) {
  cases_.bind(run_row, query.case_id);
  while (cases_.step()) {
    CaseRecord one = read_case(query.detail);
    std::vector<std::int64_t> rows;
    replicates_.bind(cases_.integer(0), std::optional<std::string_view>());
    while (replicates_.step()) {
      one.replicates.push_back(read_replicate());
      rows.push_back(replicates_.integer(0));
    }
    const bool wants_series = query.detail == Detail::kSeries ||
                              (query.detail == Detail::kDocuments && query.needs_series && query.needs_series(one));
    for (std::size_t i = 0; wants_series && i < rows.size(); ++i) one.replicates[i].series = series_of(rows[i]);
    on_case(std::move(one));
  }
}

std::optional<ReplicateRecord> CaseReader::replicate_of(std::int64_t case_row, int index) {
  replicates_.bind(case_row, index);
  if (!replicates_.step()) return std::nullopt;
  ReplicateRecord replicate = read_replicate();
  replicate.series = series_of(replicates_.integer(0));
  return replicate;
}

CaseRecord CaseReader::read_case(Detail detail) {
  CaseRecord one;
  one.id = cases_.text(1);
  one.position = cases_.small_integer(2);
  one.plan_key = cases_.text(3);
  one.key = cases_.text(4);
  one.workload_key = cases_.text(5);
  if (const auto status = cases_.optional_text(6)) one.status = read_status(database_, *status);
  one.status_reason = cases_.text(7);
  if (detail == Detail::kList) return one;
  one.requested = parse_json(what(database_, "requested"), cases_.blob(8));
  one.effective = parse_json(what(database_, "effective"), cases_.blob(9));
  one.launch = parse_json(what(database_, "launch"), cases_.blob(10));
  if (auto document = cases_.optional_text(12)) {
    one.summary = CaseSummary{cases_.small_integer(11), std::move(*document)};
  }
  return one;
}

ReplicateRecord CaseReader::read_replicate() {
  ReplicateRecord replicate;
  replicate.index = replicates_.small_integer(1);
  replicate.started_at = replicates_.text(2);
  replicate.ranks = replicates_.small_integer(3);
  replicate.status = read_status(database_, replicates_.text(4));
  replicate.status_reason = replicates_.text(5);
  return replicate;
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
