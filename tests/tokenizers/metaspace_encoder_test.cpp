// Words that are cached against the separate components, which `tokenize` runs for the places of its tokens.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/temporary_folder.h"
#include "tokenizers/small_tokenizers.h"
#include "tokenizers/tokenizer_loader.h"

namespace transformeter {
namespace {

std::vector<std::string> awkward_texts() {
  return {"",
          " ",
          "a word",
          " a  word ",
          "words words word words",
          "\u2581marked\u2581\u2581twice \u2581 and \u2581",
          "ends with a mark\u2581",
          "tab\tline\nbreak\r\n end",
          "\u00A0wide\u3000space\u2003",
          "<pad> a</s>b </s> c<pad>",
          "caf\u00E9 \u4E2D\u6587 \U0001F600 \u1F600",
          "unseen \u16A0\u16A1 \u16A0",
          std::string(300, 'x') + " " + std::string(300, 'x'),
          std::string(12, ' ') + "x"};
}

struct Kind {
  std::string name;
  Json pre_tokenizer;
};

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const char* scheme : {"always", "never", "first"}) {
    for (const bool split : {true, false}) {
      const Json metaspace = {
          {"type", "Metaspace"}, {"replacement", "\u2581"}, {"prepend_scheme", scheme}, {"split", split}};
      const std::string name = std::string(scheme) + (split ? "" : ", whole");
      all.push_back({name, metaspace});
      const Json both = Json::array({{{"type", "WhitespaceSplit"}}, metaspace});
      all.push_back({name + ", after WhitespaceSplit", {{"type", "Sequence"}, {"pretokenizers", both}}});
    }
  }
  return all;
}

TEST(MetaspaceEncoder, GivesTheIdsOfItsComponentsColdAndCached) {
  Json json = small_reference("unigram_t5.json");
  fill_charsmap(json, nmt_nfkc_charsmap());
  for (const Kind& kind : kinds()) {
    for (const bool is_normalized : {true, false}) {
      SCOPED_TRACE(kind.name + (is_normalized ? "" : ", without a normalizer"));
      Json made = json;
      made["pre_tokenizer"] = kind.pre_tokenizer;
      if (!is_normalized) made["normalizer"] = nullptr;
      const TemporaryFolder folder;
      const auto tokenizer = load_tokenizer(folder.write("tokenizer.json", made.dump()));
      for (int pass = 0; pass < 2; ++pass) {
        for (const std::string& text : awkward_texts()) {
          std::vector<std::int32_t> expected;
          for (const Token& token : tokenizer->tokenize(text)) expected.push_back(token.id);
          EXPECT_EQ(tokenizer->encode(text).ids, expected) << '"' << text << "\", pass " << pass;
        }
      }
    }
  }
}

}  // namespace
}  // namespace transformeter
