// Words seen before: every size of word, several ids, and what happens when there is no more room.
#include "tokenizers/word_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace transformeter {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::int32_t> found(const WordCache& cache, const std::string& word) {
  const auto ids = cache.find(WordKey(word));
  return {ids.begin(), ids.end()};
}

std::vector<std::int32_t> some_ids(std::size_t i, int pass) {
  std::vector<std::int32_t> ids{static_cast<std::int32_t>(i)};
  ids.resize(1 + i % 3, pass);
  return ids;
}

TEST(WordCache, KeepsOneIdOrSeveral) {
  WordCache cache;
  EXPECT_THAT(found(cache, "word"), IsEmpty());
  cache.insert(WordKey("word"), std::vector<std::int32_t>{7});
  cache.insert(WordKey("words"), std::vector<std::int32_t>{8, 9, 10});
  EXPECT_THAT(found(cache, "word"), ElementsAre(7));
  EXPECT_THAT(found(cache, "words"), ElementsAre(8, 9, 10));
  cache.insert(WordKey(""), std::vector<std::int32_t>{1});
  EXPECT_THAT(found(cache, ""), IsEmpty());
  const std::string zero(1, '\0');
  cache.insert(WordKey(zero), std::vector<std::int32_t>{3});
  EXPECT_THAT(found(cache, zero), ElementsAre(3));
  EXPECT_THAT(found(cache, zero + zero), IsEmpty());
}

// Words that differ at their end alone, as years and plurals do, must not all look in one place.
TEST(WordCache, HashesEveryByteIntoTheUppermostBits) {
  for (const char* stem : {"12", "1234", " wor", " 12345", "abcdefgh1234", "abcdefghijklmnopqr"}) {
    std::set<std::uint32_t> places;  // among 4,096
    for (char one = 'a'; one <= 'z'; ++one) {
      for (char other = 'a'; other <= 'z'; ++other) places.insert(WordKey(stem + std::string{one, other}).hash >> 20U);
    }
    EXPECT_GT(places.size(), 500U) << stem << ": of 676 words";
  }
}

// Wherever a word stands, and however much text comes after it, it is the same word.
TEST(WordCache, FindsAWordAnywhereInAText) {
  for (std::size_t size = 1; size <= 40; ++size) {
    std::string word;
    for (std::size_t i = 0; i < size; ++i) word += static_cast<char>(i % 5 == 4 ? 0 : 0xF8 - 31 * i);
    WordCache cache;
    cache.insert(WordKey(word), some_ids(7, 8));
    for (std::size_t before = 0; before < 20; ++before) {
      for (std::size_t after = 0; after < 20; ++after) {
        const std::string text = std::string(before, 'x') + word + std::string(after, 'y');
        const std::vector<char> bytes(text.begin(), text.end());  // no byte more, so that reading one is seen
        const WordKey key({bytes.data(), bytes.size()}, {before, before + size});
        EXPECT_EQ(key.word, word);
        const auto ids = cache.find(key);
        ASSERT_EQ(std::vector<std::int32_t>(ids.begin(), ids.end()), some_ids(7, 8)) << size << ' ' << before;
      }
    }
  }
}

// Words of each size, each with another in every single byte, more than there are slots at first.
TEST(WordCache, TellsWordsApartThatDifferInOneByte) {
  WordCache cache;
  std::vector<std::string> words;
  for (std::size_t size = 1; size <= 60; ++size) {
    const std::string word(size, 'a');
    words.push_back(word);
    for (std::size_t place = 0; place < size; ++place) {
      words.push_back(word);
      words.back()[place] = 'b';
    }
  }
  for (int pass = 0; pass < 3; ++pass) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string word = words[i] + std::string(static_cast<std::size_t>(pass), 'c');
      cache.insert(WordKey(word), some_ids(i, pass));
      ASSERT_EQ(found(cache, word), some_ids(i, pass)) << word;
    }
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    ASSERT_EQ(found(cache, words[i]), some_ids(i, 0)) << words[i];
  }
}

TEST(WordCache, LeavesLongWordsOutAndForgetsWhenItIsFull) {
  WordCache cache;
  const std::string long_word(257, 'a');
  cache.insert(WordKey(long_word), std::vector<std::int32_t>{1});
  EXPECT_THAT(found(cache, long_word), IsEmpty());
  cache.insert(WordKey(long_word.substr(1)), std::vector<std::int32_t>{1});
  EXPECT_THAT(found(cache, long_word.substr(1)), ElementsAre(1));
  constexpr std::int32_t kMoreThanFit = (1 << 17) + 10;
  for (std::int32_t id = 0; id < kMoreThanFit; ++id) {
    cache.insert(WordKey(std::to_string(id)), std::vector<std::int32_t>{id});
  }
  EXPECT_THAT(found(cache, "5"), IsEmpty());
  EXPECT_THAT(found(cache, std::to_string(kMoreThanFit - 1)), ElementsAre(kMoreThanFit - 1));
}

}  // namespace
}  // namespace transformeter
