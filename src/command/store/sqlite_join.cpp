// Two records are the same when they are exported as the same line.
#include "store/sqlite_join.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.h"
#include "schema/peak.h"
#include "store/export_lines.h"

namespace transformeter {
namespace {

CaseRecord find_by_id(CaseReader& reader, std::int64_t run_row, const std::string& id) {
  RunQuery query;
  query.case_id = id;
  CaseRecord found;
  reader.visit_cases(run_row, query, [&](CaseRecord&& one) { found = std::move(one); });
  return found;
}

bool is_same_plan(const CaseRecord& left, const CaseRecord& right) {
  return left.plan_key == right.plan_key && left.position == right.position && left.requested == right.requested;
}

int last_index(const CaseRecord& one) {
  return one.replicates.empty() ? -1 : one.replicates.back().index;
}

// The side with the later replicate speaks, where it says anything.
template <typename T>
const T& spoken(const T& present, const T& incoming, bool incoming_is_later) {
  if (incoming.empty()) return present;
  return present.empty() || incoming_is_later ? incoming : present;
}

template <typename T>
bool contradicts(const T& present, const T& incoming) {
  return !present.empty() && !incoming.empty() && present != incoming;
}

// Peaks are measured again, or marked, when a case proves them too low (run/run_peaks.h): sides that differ in them
// alone agree, the higher ones count, of equal ones those with less background load, and of equal loads a mark.
Json without_peaks(Json json) {
  if (json.is_object()) json.erase("peaks");
  return json;
}

RunRecord without_peaks(RunRecord run) {
  run.host = without_peaks(std::move(run.host));
  return run;
}

bool is_corrected(const Json& peak, const Json& other) {
  if (!peak.is_object() || !other.is_object()) return false;
  for (const char* key : {"quantity", "device", "threads"}) {
    if (peak.value(key, Json()) != other.value(key, Json())) return false;
  }
  const Json value = peak.value("value", Json());
  const Json other_value = other.value("value", Json());
  if (!value.is_number() || !other_value.is_number()) return false;
  if (value != other_value) return value > other_value;
  const auto load_of = [](const Json& one) {
    const Json load = one.value("foreign_load", Json());
    return load.is_number() ? load.get<double>() : 0.0;
  };
  const auto is_exceeded = [](const Json& one) { return one.value(kPeakExceeded, Json()) == true; };
  if (load_of(peak) != load_of(other)) return load_of(peak) < load_of(other);
  return is_exceeded(peak) && !is_exceeded(other);
}

// Those of a case are by kind, those of a run a list. False when none of `incoming` was corrected.
bool take_corrected_peaks(Json& present, const Json& incoming) {
  if (!present.contains("peaks") || !incoming.contains("peaks")) return false;
  Json& mine = present["peaks"];
  const Json& others = incoming.at("peaks");
  if (mine.type() != others.type() || mine.size() != others.size()) return false;
  bool is_changed = false;
  auto other = others.begin();
  for (Json& peak : mine) {
    if (is_corrected(*other, peak)) {
      peak = *other;
      is_changed = true;
    }
    ++other;
  }
  return is_changed;
}

// Neither side is later, and they say different things. With replicates the status follows from those.
bool contradict(const CaseRecord& present, const CaseRecord& incoming) {
  if (last_index(present) != last_index(incoming)) return false;
  const bool statuses = present.replicates.empty() && present.status && incoming.status &&
                        (present.status != incoming.status || present.status_reason != incoming.status_reason);
  return statuses || contradicts(present.key, incoming.key) ||
         contradicts(present.workload_key, incoming.workload_key) ||
         contradicts(without_peaks(present.effective), without_peaks(incoming.effective)) ||
         contradicts(present.launch, incoming.launch);
}

}  // namespace

Joiner::Joiner(Database& database, const JoinOptions& options)
    : database_(database), options_(options), reader_(database) {}

RunVisitor Joiner::visitor() {
  RunVisitor visitor;
  visitor.on_run = [this](RunRecord&& run) { take_run(run); };
  visitor.on_case = [this](CaseRecord&& one) { take_case(one); };
  return visitor;
}

void Joiner::take_run(const RunRecord& run) {
  run_id_ = run.id;
  Statement find(database_, "SELECT sequence FROM run WHERE id = ?");
  if (!find.bind(run.id).step()) {
    run_row_ = insert_run(database_, run);
    ++outcome_.runs_added;
    return;
  }
  run_row_ = find.integer(0);
  RunRecord present = read_run(database_, run_row_);
  if (run_line(without_peaks(present)) != run_line(without_peaks(run)))
    return conflict(fmt::format("run '{}'", run.id));
  if (!take_corrected_peaks(present.host, run.host)) return;
  Statement update(database_, "UPDATE run SET host = ? WHERE sequence = ?");
  update.bind(canonical_json(present.host), run_row_).run();
}

void Joiner::take_case(const CaseRecord& incoming) {
  const auto case_row = find_case(database_, run_id_, incoming.id);
  if (!case_row) {
    insert_case(database_, run_row_, incoming);
    ++outcome_.cases_added;
    outcome_.replicates_added += incoming.replicates.size();
    return;
  }
  const CaseRecord present = find_by_id(reader_, run_row_, incoming.id);
  if (is_same_plan(present, incoming)) return unite(*case_row, present, incoming);
  conflict(fmt::format("the plan of case '{}' of run '{}'", incoming.id, run_id_));
}

void Joiner::unite(std::int64_t case_row, const CaseRecord& present, const CaseRecord& incoming) {
  const bool is_later = last_index(incoming) > last_index(present);
  CaseRecord united = present;
  united.key = spoken(present.key, incoming.key, is_later);
  united.workload_key = spoken(present.workload_key, incoming.workload_key, is_later);
  united.effective = spoken(present.effective, incoming.effective, is_later);
  take_corrected_peaks(united.effective, is_later ? present.effective : incoming.effective);
  united.launch = spoken(present.launch, incoming.launch, is_later);
  if (!present.status) {
    united.status = incoming.status;
    united.status_reason = incoming.status_reason;
  }
  const std::size_t added = add_replicates(case_row, incoming);
  if (contradict(present, incoming)) conflict(fmt::format("case '{}' of run '{}'", incoming.id, run_id_));
  if (added > 0 || case_line(run_id_, united) != case_line(run_id_, present)) {
    update_case(database_, case_row, united);
  }
}

std::size_t Joiner::add_replicates(std::int64_t case_row, const CaseRecord& incoming) {
  std::size_t added = 0;
  for (const ReplicateRecord& replicate : incoming.replicates) {
    const std::optional<ReplicateRecord> known = reader_.replicate_of(case_row, replicate.index);
    if (!known) {
      insert_replicate(database_, case_row, replicate);
      ++added;
    } else if (replicate_line(run_id_, incoming.id, *known) == replicate_line(run_id_, incoming.id, replicate)) {
      ++outcome_.replicates_known;
    } else {
      conflict(fmt::format("replicate {} of case '{}' of run '{}'", replicate.index, incoming.id, run_id_));
    }
  }
  outcome_.replicates_added += added;
  return added;
}

void Joiner::conflict(const std::string& what) {
  if (!options_.keep_first) {
    throw Error(ErrorKind::kBadInput, fmt::format("{} already exists in '{}' with different content; nothing was "
                                                  "changed. Use --keep-first to keep the existing one",
                                                  what, database_.path().string()));
  }
  outcome_.kept_differences.push_back(what);
}

}  // namespace transformeter
