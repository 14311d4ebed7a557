// A little automaton over the kinds of lines: header, then runs with cases with replicates, then the end.
#include "store/import_jsonl.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/json_keys.h"
#include "base/text.h"
#include "store/case_outcome.h"
#include "store/import_records.h"
#include "store/line_reader.h"

namespace transformeter {
namespace {

// A replicate is one line, and must fit into memory to be stored; what is longer is no export.
constexpr std::size_t kMaxLineBytes = std::size_t{1} << 30;
constexpr std::size_t kMaxHeaderBytes = 4096;

// With a key twice, one of the values would be dropped.
Json parse_line(std::string_view line) {
  Json object = parse_json("the line", line);
  if (const auto key = repeated_key(line)) {
    throw Error(ErrorKind::kBadInput, fmt::format("the field '{}' occurs twice", excerpt(*key)));
  }
  return object;
}

class Importer {
 public:
  explicit Importer(const RunVisitor& visitor) : visitor_(visitor) {}

  /// `number` is the line's in its file.
  void take(std::string_view line, std::size_t number) {
    number_ = number;
    Json object = parse_line(line);
    if (!is_open_) {
      check_header(std::move(object));
      is_open_ = true;
      return;
    }
    if (!object.is_object() || object.size() != 1) {
      throw Error(ErrorKind::kBadInput, "expected an object with one key: run, case, replicate or end");
    }
    const std::string kind = object.begin().key();
    Json& content = object.begin().value();
    if (kind == "run") return take_run(imported_run(std::move(content)));
    if (kind == "case") return take_case(imported_case(std::move(content)));
    if (kind == "replicate") return take_replicate(imported_replicate(std::move(content)));
    if (kind == "end") return take_end(imported_end(std::move(content)));
    throw unknown_value("line", kind, {"run", "case", "replicate", "end"});
  }

  bool is_open() const { return is_open_; }
  /// Where what `take` threw lies: in its line, or in the case before it.
  std::size_t fault_line() const { return number_; }

 private:
  void take_run(RunRecord&& run) {
    hand_over();
    run_id_ = run.id;
    ++count_.runs;
    visitor_.on_run(std::move(run));
  }

  void take_case(ImportedCase&& imported) {
    hand_over();
    if (!run_id_ || imported.run != *run_id_) throw out_of_order("case", "run", imported.run);
    case_ = std::move(imported.record);
    case_line_ = number_;
    ++count_.cases;
  }

  void take_replicate(ImportedReplicate&& imported) {
    if (!run_id_ || imported.run != *run_id_) throw out_of_order("replicate", "run", imported.run);
    if (!case_ || imported.the_case != case_->id) throw out_of_order("replicate", "case", imported.the_case);
    if (!case_->replicates.empty() && case_->replicates.back().index >= imported.record.index) {
      throw Error(ErrorKind::kBadInput, fmt::format("replicate {} comes after replicate {}", imported.record.index,
                                                    case_->replicates.back().index));
    }
    case_->replicates.push_back(std::move(imported.record));
    ++count_.replicates;
  }

  void take_end(const ExportCount& count) {
    hand_over();
    if (count.runs != count_.runs || count.cases != count_.cases || count.replicates != count_.replicates) {
      throw Error(ErrorKind::kBadInput,
                  fmt::format("the export has {} runs, {} cases and {} replicates, but declares {}, {} and {}; lines "
                              "are missing or duplicated",
                              count_.runs, count_.cases, count_.replicates, count.runs, count.cases, count.replicates));
    }
    count_ = {};
    run_id_.reset();
    is_open_ = false;
  }

  // A case is whole when the line after its replicates comes.
  void hand_over() {
    if (!case_) return;
    CaseRecord one = std::move(*case_);
    case_.reset();
    const std::size_t now = std::exchange(number_, case_line_);
    check_status(one);
    visitor_.on_case(std::move(one));
    number_ = now;
  }

  // The store computes both, so anything else would be dropped.
  static void check_status(const CaseRecord& one) {
    const CaseOutcome given{one.status, one.status_reason};
    const CaseOutcome computed = case_outcome(one.replicates, given);
    if (given == computed) return;
    throw Error(ErrorKind::kBadInput, fmt::format("case '{}' is {}, but according to its replicates {}", one.id,
                                                  text_of(given), text_of(computed)));
  }

  static std::string text_of(const CaseOutcome& outcome) {
    return fmt::format("'{}' ('{}')", outcome.status ? name_of(*outcome.status) : "null", excerpt(outcome.reason));
  }

  static Error out_of_order(std::string_view what, std::string_view parent, std::string_view id) {
    return Error(ErrorKind::kBadInput,
                 fmt::format("a {} of {} '{}' must come after that {}", what, parent, id, parent));
  }

  const RunVisitor& visitor_;
  bool is_open_ = false;
  std::size_t number_ = 0;
  std::size_t case_line_ = 0;
  std::optional<std::string> run_id_;
  std::optional<CaseRecord> case_;
  ExportCount count_;
};

Error at_line(const std::filesystem::path& file, std::size_t line, const Error& error) {
  return Error(error.kind(), fmt::format("{}:{}: {}", file.string(), line, error.what()));
}

void import_lines(LineReader& lines, const RunVisitor& visitor) {
  Importer importer(visitor);
  while (true) {
    std::optional<std::string_view> line;
    try {
      line = lines.next(importer.is_open() ? kMaxLineBytes : kMaxHeaderBytes);
      if (!line && importer.is_open()) throw Error(ErrorKind::kBadInput, "the export is truncated: no end line");
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kBadInput) throw;
      throw at_line(lines.file(), lines.number(), error);
    }
    if (!line) return;
    try {
      importer.take(*line, lines.number());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kBadInput) throw;
      throw at_line(lines.file(), importer.fault_line(), error);
    }
  }
}

// Other files of this program that are easily taken for an export.
void check_kind(const LineReader& lines) {
  const std::string file = lines.file().string();
  if (lines.begins_with("SQLite format 3")) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("'{0}' is a store, not an export; merge it with `transformeter merge OUT {0}`", file));
  }
  if (lines.begins_with("\x1f\x8b")) {
    throw Error(ErrorKind::kBadInput,
                fmt::format("'{0}' is compressed; try `zcat {0} | transformeter import - --store ...`", file));
  }
}

void check_head(LineReader& lines) {
  try {
    const auto line = lines.next(kMaxHeaderBytes);
    if (!line) throw Error(ErrorKind::kBadInput, "the file is empty");
    check_header(parse_line(*line));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    check_kind(lines);
    throw at_line(lines.file(), lines.number(), error);
  }
  lines.put_back();
}

// A pipe can be read only once, so it stays open from the first look on. Files are opened again: there may be
// thousands.
struct Input {
  std::filesystem::path file;
  std::unique_ptr<LineReader> pipe;
};

Input checked_input(const std::filesystem::path& file) {
  auto lines = std::make_unique<LineReader>(file);
  check_head(*lines);
  std::error_code unknown;
  if (file != "-" && std::filesystem::is_regular_file(file, unknown)) lines.reset();
  return {file, std::move(lines)};
}

}  // namespace

RunSource import_source(const std::vector<std::filesystem::path>& files) {
  const auto inputs = std::make_shared<std::vector<Input>>();
  for (const std::filesystem::path& file : files) inputs->push_back(checked_input(file));
  return [inputs](const RunVisitor& visitor) {
    for (Input& input : *inputs) {
      if (!input.pipe) input.pipe = std::make_unique<LineReader>(input.file);
      import_lines(*input.pipe, visitor);
      input.pipe.reset();
    }
  };
}

}  // namespace transformeter
