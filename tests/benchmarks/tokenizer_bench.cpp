// Our side of scripts/bench_tokenizers: encodes the lines of a file once for each "encode" it reads, and answers with
// the seconds that took; "ids" gives the digest of all ids. Usage: tokenizer-bench TOKENIZER TEXTS THREADS
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "tokenizers/tokenizer_loader.h"

using namespace transformeter;  // NOLINT(google-build-using-namespace): a program of a few functions

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void append_little_endian(std::int32_t value, std::string& bytes) {
  const auto bits = static_cast<std::uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((bits >> shift) & 0xFF);
}

void answer(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

void answer_ids(const std::vector<Encoding>& encodings) {
  std::string stream;
  std::size_t count = 0;
  for (const Encoding& encoding : encodings) {
    for (const std::int32_t id : encoding.ids) append_little_endian(id, stream);
    append_little_endian(-1, stream);
    count += encoding.ids.size();
  }
  answer(fmt::format(R"({{"ids": {}, "sha256": "{}"}})", count, sha256_hex(stream)));
}

void serve(const std::string& tokenizer_path, const std::string& texts_path, int threads) {
  const std::vector<std::string> texts = split(read_file(texts_path), '\n');
  const Clock::time_point begin = Clock::now();
  const std::unique_ptr<Tokenizer> tokenizer = load_tokenizer(tokenizer_path);
  answer(fmt::format(R"({{"load_s": {}}})", seconds_since(begin)));
  std::vector<Encoding> encodings;
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "ids") {
      answer_ids(encodings);
      continue;
    }
    encodings.clear();
    const Clock::time_point start = Clock::now();
    encodings = tokenizer->encode_batch(texts, {}, threads);
    answer(fmt::format(R"({{"seconds": {}}})", seconds_since(start)));
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fputs("usage: tokenizer-bench TOKENIZER TEXTS THREADS\n", stderr);
    return 3;
  }
  try {
    serve(arguments[1], arguments[2], std::stoi(arguments[3]));
  } catch (const Error& error) {
    std::fprintf(stderr, "tokenizer-bench: %s\n", error.what());
    return 3;
  }
  return 0;
}
