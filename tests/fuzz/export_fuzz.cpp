// An export of results, as `import` takes it in. What is read must also come out again: the records written as an
// export and read once more give the same bytes, or import and export would drift apart over the copies.
#include <string>

#include "fuzz_support.h"
#include "store/export_lines.h"
#include "store/import_jsonl.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of a few functions

namespace {

// The records of a file as one export. Where the file is several, their runs stand in one.
std::string exported_again(const std::filesystem::path& file) {
  std::string text = header_line();
  ExportCount count;
  std::string run_id;
  RunVisitor visitor;
  visitor.on_run = [&](RunRecord&& run) {
    text += run_line(run);
    run_id = run.id;
    ++count.runs;
  };
  visitor.on_case = [&](CaseRecord&& one) {
    text += case_line(run_id, one);
    ++count.cases;
    for (const ReplicateRecord& replicate : one.replicates) text += replicate_line(run_id, one.id, replicate);
    count.replicates += one.replicates.size();
  };
  import_source({file})(visitor);
  return text + end_line(count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFile given("given.jsonl");
  static const ScratchFile written("written.jsonl");
  std::string first;
  expect_read_or_error([&] { first = exported_again(given.write(bytes_of(data, size))); });
  if (first.empty()) return 0;
  try {
    require(exported_again(written.write(first)) == first, "an export of what was imported reads differently");
  } catch (const Error& error) {
    require(false, error.what());
  }
  return 0;
}
