// The store of results: the only link between measuring and reading. Runs are planned into it, replicates are added
// as they finish, and readers get records back.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "protocol/record.h"

namespace transformeter {

enum class StoreMode {
  kRead,   // the file must exist and is not changed; works on read-only files and folders
  kWrite,  // a missing file is made, an older schema brought up to date
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
  /// follows from its replicates. Returns false, changing nothing, when the case has a replicate of that index: the
  /// first one wins. Throws Error(kBadInput) when run or case were not planned by begin_run.
  virtual bool add_replicate(const std::string& run_id, const CaseRecord& the_case,
                             const ReplicateRecord& replicate) = 0;

  /// Every run, latest first. Cases carry id, position, keys and status, replicates all but their series; the cases'
  /// JSON documents are left empty, for speed.
  virtual std::vector<RunRecord> list_runs() = 0;

  /// One whole run: cases by position, replicates by index. `selector` is an id, a name (the latest run of that name),
  /// or the beginning of one id; empty: the latest run. Throws Error(kBadInput) with near names when it fits none, or
  /// with the candidates when it fits several.
  virtual RunRecord load_run(std::string_view selector, bool with_series) = 0;
};

/// Opens the SQLite store at `path`. `log` gets a warning when the file lies on a network file system, where a slower
/// journal is used. Throws Error(kBadInput) when there is no store to read, or the file is damaged, of another
/// application or of a newer version, and Error(kEnvironment) when it cannot be opened.
std::unique_ptr<Store> open_store(const std::filesystem::path& path, StoreMode mode, const Log& log = {});

}  // namespace transformeter
