// The store of results: the only link between measuring and reading. Runs are planned into it, replicates are added
// as they finish, and readers get records back.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "schema/record.h"

namespace transformeter {

enum class StoreMode {
  kRead,   // the file must exist and is not changed; works on read-only files and folders
  kWrite,  // a missing file is made, an older schema brought up to date
};

/// How much of a case is read.
enum class Detail {
  kList,       // id, position, keys and status; replicates without series; no JSON documents, for speed
  kDocuments,  // all but the series
  kSeries,
};

struct RunQuery {
  /// An id, a name (the latest run of that name), or the beginning of one id; empty: the latest run.
  std::string selector;
  bool all = false;         // every run instead, latest first
  bool with_trials = true;  // of all runs; false: results alone
  std::string case_id;      // only this case; empty: every case
  Detail detail = Detail::kDocuments;
  /// With kDocuments: asked of each case once the rest of it is read; true: its series are read too. Empty: none are.
  std::function<bool(const CaseRecord&)> needs_series;
};

/// Gets records one by one, so that no more than one case is in memory. Must not use the store that calls it.
struct RunVisitor {
  std::function<void(RunRecord&&)> on_run;    // without its cases, which follow by position
  std::function<void(CaseRecord&&)> on_case;  // replicates by index
};

/// Calls a visitor with whole runs, series included: another store, or a file of exported results.
using RunSource = std::function<void(const RunVisitor&)>;

struct JoinOptions {
  bool keep_first = false;  // what is in the store stays where the source holds something else; else that is an error
};

struct JoinOutcome {
  std::size_t runs_added = 0;
  std::size_t cases_added = 0;
  std::size_t replicates_added = 0;
  std::size_t replicates_known = 0;           // were there already, just the same
  std::vector<std::string> kept_differences;  // one line for each conflict that keep_first settled
};

/// Not thread-safe: one store object per thread. Several objects, also of several processes, may share one file;
/// writers wait for each other. Every method throws Error(kBadInput) for a damaged file or a wrong argument and
/// Error(kEnvironment) for a full disk, a lock that is not given up, or a file that cannot be written; the message
/// names the file. What add_replicate and begin_run have returned from survives the death of the process.
class Store {
 public:
  virtual ~Store() = default;

  /// Keeps the run with its planned cases, their status where it is known beforehand, and replicates they may have.
  /// Throws Error(kBadInput) when a run of that id is there already.
  virtual void begin_run(const RunRecord& run) = 0;

  /// Keeps one replicate, in one short transaction, and what is known of its case by now: `key`, `workload_key`,
  /// `effective` and `launch` where they are not empty (a crashed replicate takes nothing away); the case's status
  /// follows from its replicates, and its summary is dropped. Returns false, changing nothing, when the case has a
  /// replicate of that index: the first one wins. Throws Error(kBadInput) when run or case were not planned by
  /// begin_run.
  virtual bool add_replicate(const std::string& run_id, const CaseRecord& the_case,
                             const ReplicateRecord& replicate) = 0;

  /// The same for a replicate that goes on: it takes the place of the one of that index, which add_replicate kept
  /// before and which has fewer slices. Throws Error(kBadInput) when there is none.
  virtual void update_replicate(const std::string& run_id, const CaseRecord& the_case,
                                const ReplicateRecord& replicate) = 0;

  /// Keeps the summaries of cases of a run, in one transaction. One that was made from fewer or more replicates or
  /// slices than the store holds of the case is passed over; so is a case without a summary, or that is not in the
  /// store.
  virtual void keep_summaries(const std::string& run_id, const std::vector<CaseRecord>& cases) = 0;

  /// Unites the runs of `source` with those in the store, in one transaction: all of them, or nothing. A run, case or
  /// replicate that is not there is added; a case takes the keys and documents of the side with the later replicate,
  /// and its status follows from all of them. Doing it again changes nothing. Throws Error(kBadInput), naming it, for
  /// a replicate, case, plan or run that is there with another content, unless `options` keep the first.
  virtual JoinOutcome join(const RunSource& source, const JoinOptions& options) = 0;

  /// Reads runs in one consistent view, case by case. Throws Error(kBadInput) with near names when the selector fits
  /// none, or with the candidates when it fits several.
  virtual void visit(const RunQuery& query, const RunVisitor& visitor) = 0;

  /// Every run, latest first, in Detail::kList.
  std::vector<RunRecord> list_runs();

  /// One whole run: cases by position, replicates by index; `selector` as in RunQuery.
  RunRecord load_run(std::string_view selector, bool with_series);
};

/// Opens the SQLite store at `path`. `log` gets a warning when the file lies on a network file system, where a slower
/// journal is used, and a line when an older schema was brought up to date, of which a copy is kept. Throws
/// Error(kBadInput) when there is no store to read, or the file is damaged, of another application or of a newer
/// version, and Error(kEnvironment) when it cannot be opened. `maker`: the subcommand that makes what is to be read,
/// for the hint where there is no store.
std::unique_ptr<Store> open_store(const std::filesystem::path& path, StoreMode mode, const Log& log = {},
                                  std::string_view maker = "run");

}  // namespace transformeter
