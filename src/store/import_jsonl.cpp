// A little automaton over the kinds of lines: header, then runs with cases with replicates, then the end.
#include "store/import_jsonl.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "store/import_records.h"

namespace transformeter {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;
// A replicate is one line, and must fit into memory to be stored; what is longer is no export.
constexpr std::size_t kMostLineBytes = std::size_t{1} << 30;
constexpr std::size_t kMostHeaderBytes = 4096;

class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& file)
      : file_(file), descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail();
  }
  ~LineReader() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its line break, valid until the next call; nothing at the end of the file.
  std::optional<std::string_view> next(std::size_t most_bytes = kMostLineBytes) {
    std::size_t searched = begin_;
    ++number_;
    for (;;) {
      const std::size_t end = buffer_.find('\n', searched);
      if (end != std::string::npos) {
        const std::string_view line = std::string_view(buffer_).substr(begin_, end - begin_);
        begin_ = end + 1;
        return line;
      }
      if (buffer_.size() - begin_ > most_bytes) {
        throw Error(ErrorKind::kBadInput, fmt::format("a line of more than {} bytes is no export's", most_bytes));
      }
      buffer_.erase(0, std::exchange(begin_, 0));
      searched = buffer_.size();
      if (fill()) continue;
      if (buffer_.empty()) return std::nullopt;
      throw Error(ErrorKind::kBadInput, "the file ends in the middle of a line; it was cut short");
    }
  }
  std::size_t number() const { return number_; }

 private:
  bool fill() {
    const std::size_t size = buffer_.size();
    buffer_.resize(size + kBlockBytes);
    ssize_t count = -1;
    do {
      count = ::read(descriptor_, buffer_.data() + size, kBlockBytes);
    } while (count < 0 && errno == EINTR);
    if (count < 0) fail();
    buffer_.resize(size + static_cast<std::size_t>(count));
    return count > 0;
  }
  [[noreturn]] void fail() const {
    throw Error(ErrorKind::kBadInput, fmt::format("cannot read '{}': {}", file_.string(), std::strerror(errno)));
  }

  const std::filesystem::path& file_;
  int descriptor_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t number_ = 0;
};

class Importer {
 public:
  explicit Importer(const RunVisitor& visitor) : visitor_(visitor) {}

  void take(std::string_view line) {
    Json object = parse_json("the line", line);
    if (!is_open_) {
      check_header(std::move(object));
      is_open_ = true;
      return;
    }
    if (!object.is_object() || object.size() != 1) {
      throw Error(ErrorKind::kBadInput, "an object with one key is wanted: run, case, replicate or end");
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
                  fmt::format("the export holds {} runs, {} cases and {} replicates, and was made with {}, {} and {}; "
                              "lines are missing or too many",
                              count_.runs, count_.cases, count_.replicates, count.runs, count.cases, count.replicates));
    }
    count_ = {};
    run_id_.reset();
    is_open_ = false;
  }

  void hand_over() {
    if (!case_) return;
    CaseRecord one = std::move(*case_);
    case_.reset();
    visitor_.on_case(std::move(one));
  }

  static Error out_of_order(std::string_view what, std::string_view parent, std::string_view id) {
    return Error(ErrorKind::kBadInput, fmt::format("a {} of {} '{}' must follow that {}", what, parent, id, parent));
  }

  const RunVisitor& visitor_;
  bool is_open_ = false;
  std::optional<std::string> run_id_;
  std::optional<CaseRecord> case_;
  ExportCount count_;
};

Error at_line(const std::filesystem::path& file, std::size_t line, const Error& error) {
  return Error(error.kind(), fmt::format("{}:{}: {}", file.string(), line, error.what()));
}

void import_file(const std::filesystem::path& file, const RunVisitor& visitor) {
  LineReader lines(file);
  Importer importer(visitor);
  try {
    while (const auto line = lines.next(importer.is_open() ? kMostLineBytes : kMostHeaderBytes)) importer.take(*line);
    if (lines.number() == 1) throw Error(ErrorKind::kBadInput, "the file is empty");
    if (importer.is_open()) throw Error(ErrorKind::kBadInput, "the export has no end; it was cut short");
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    throw at_line(file, lines.number(), error);
  }
}

}  // namespace

void check_export(const std::filesystem::path& file) {
  LineReader lines(file);
  try {
    const auto line = lines.next(kMostHeaderBytes);
    if (!line) throw Error(ErrorKind::kBadInput, "the file is empty");
    check_header(parse_json("the line", *line));
  } catch (const Error& error) {
    throw at_line(file, lines.number(), error);
  }
}

RunSource import_source(std::vector<std::filesystem::path> files) {
  return [files = std::move(files)](const RunVisitor& visitor) {
    for (const std::filesystem::path& file : files) import_file(file, visitor);
  };
}

}  // namespace transformeter
