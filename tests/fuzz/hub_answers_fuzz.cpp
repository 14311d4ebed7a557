// What a hub answers: any bytes give a typed value whose names are safe as paths, or an error of the input.
#include "fuzz_support.h"
#include "hub/hub_answers.h"
#include "hub/repository.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = bytes_of(data, size);
  expect_read_or_error([&] { require(is_commit(parse_revision_answer("input", text)), "a commit that is none"); });
  expect_read_or_error([&] {
    for (const RepositoryFile& file : parse_tree_page("input", text)) {
      check_repository_path(file.path, "input");
      require(file.path.front() != '/' && file.path.find("../") == std::string::npos, "a path that leads astray");
      require(file.hash.size() == 40 || file.hash.size() == 64, "a hash of another length");
      require(file.hash.find('/') == std::string::npos, "a hash that leads astray");
    }
  });
  expect_read_or_error([&] {
    for (const std::string& shard : parse_shards("input", text)) check_repository_path(shard, "input");
  });
  expect_read_or_error([&] { parse_preupload("input", text); });
  expect_read_or_error([&] {
    for (const LfsObject& object : parse_lfs_batch("input", text)) {
      require(object.chunk_size > 0 || object.chunk_urls.empty(), "chunks without a size");
    }
  });
  expect_read_or_error([&] { parse_commit_answer("input", text); });
  parse_error_answer(text);
  expect_read_or_error([&] { parse_repository(RepositoryType::kModel, text); });
  expect_read_or_error([&] { check_revision(text); });
  return 0;
}
