#include "scan.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <vector>

#include "threads.hpp"

namespace calque {
namespace {

constexpr std::size_t PIECE = 256;          // rows whose codes stay in the second-level cache while all queries see them
constexpr std::size_t PIECES_AT_ONCE = 16;  // fetched by a thread, so that it reads on where it was
constexpr std::size_t QUERIES_AT_ONCE = 16;
constexpr float NOTHING_YET = -std::numeric_limits<float>::infinity();

struct Candidate {
    float score;  // the upper bound first, then the product itself
    std::int32_t row;
};

// What one thread knows about one query.
class Finding {
  public:
    explicit Finding(std::size_t k) : k_(k) {}

    // A row whose upper bound is below k others' lower bounds is not among the k best, not even as an equal.
    float floor() const { return lowers_.size() == k_ ? lowers_.front() : NOTHING_YET; }

    void take(float lower, float upper, std::size_t row) {
        candidates.push_back({upper, static_cast<std::int32_t>(row)});
        if (lowers_.size() < k_) {
            lowers_.push_back(lower);
            std::push_heap(lowers_.begin(), lowers_.end(), std::greater<float>());
        } else if (lower > lowers_.front()) {
            std::pop_heap(lowers_.begin(), lowers_.end(), std::greater<float>());
            lowers_.back() = lower;
            std::push_heap(lowers_.begin(), lowers_.end(), std::greater<float>());
        }
    }

    const std::vector<float>& lowers() const { return lowers_; }

    std::vector<Candidate> candidates;

  private:
    std::size_t k_;
    std::vector<float> lowers_;  // the k best, the worst in front
};

// The highest floor that any thread has come to.
class Floor {
  public:
    float get() const { return floor_.load(std::memory_order_relaxed); }

    void raise(float to) {
        float before = get();
        while (before < to && !floor_.compare_exchange_weak(before, to, std::memory_order_relaxed)) {
        }
    }

  private:
    std::atomic<float> floor_{NOTHING_YET};
};

void look(const Scanned& rows, const CodedQuery& query, std::size_t begin, std::size_t end, Floor& floor,
          Finding& finding) {
    float lower[PIECE], upper[PIECE];
    hot().bound_rows(rows.coded, query, begin, end, lower, upper);
    float least = floor.get();
    for (std::size_t at = 0; at < end - begin; ++at) {
        if (!(upper[at] >= least) || (rows.deleted && rows.deleted[begin + at])) continue;  // nor NaN
        finding.take(lower[at], upper[at], begin + at);
        least = std::max(least, finding.floor());
    }
    floor.raise(finding.floor());
}

bool better(const Candidate& one, const Candidate& two) {
    return one.score > two.score || (one.score == two.score && one.row < two.row);
}

std::vector<Candidate> settle(const Scanned& rows, const float* query, std::size_t k, std::vector<Finding>& findings,
                              std::size_t first, std::size_t step) {
    std::vector<float> lowers;
    for (std::size_t at = first; at < findings.size(); at += step)
        lowers.insert(lowers.end(), findings[at].lowers().begin(), findings[at].lowers().end());
    float floor = NOTHING_YET;
    if (lowers.size() >= k) {
        std::nth_element(lowers.begin(), lowers.begin() + (k - 1), lowers.end(), std::greater<float>());
        floor = lowers[k - 1];
    }
    std::vector<Candidate> best;
    for (std::size_t at = first; at < findings.size(); at += step)
        for (const Candidate& candidate : findings[at].candidates)
            if (candidate.score >= floor) {
                const float product = exact_product(query, rows.vectors + candidate.row * rows.depth, rows.depth);
                // NaN has no order; as the largest, it comes to light.
                best.push_back({product == product ? product : std::numeric_limits<float>::infinity(), candidate.row});
            }
    const std::size_t kept = std::min(k, best.size());
    std::partial_sort(best.begin(), best.begin() + kept, best.end(), better);
    best.resize(kept);
    return best;
}

void scan_some(const Scanned& rows, const float* queries, std::size_t count, std::size_t k, std::size_t threads,
               float* cosine, std::int32_t* index) {
    std::vector<std::int16_t> values(count * rows.coded.width);
    std::vector<CodedQuery> coded(count);
    for (std::size_t q = 0; q < count; ++q)
        hot().code_query(queries + q * rows.depth, rows.depth, rows.coded.width, values.data() + q * rows.coded.width,
                         &coded[q]);
    std::vector<Floor> floors(count);
    std::vector<Finding> findings(threads * count, Finding(k));  // by thread, then by query
    in_pieces(threads, rows.count, PIECE * PIECES_AT_ONCE, [&](std::size_t thread, std::size_t begin, std::size_t end) {
        for (std::size_t piece = begin; piece < end; piece += PIECE)
            for (std::size_t q = 0; q < count; ++q)
                look(rows, coded[q], piece, std::min(piece + PIECE, end), floors[q], findings[thread * count + q]);
    });
    in_pieces(threads, count, 1, [&](std::size_t, std::size_t q, std::size_t) {
        const std::vector<Candidate> best = settle(rows, queries + q * rows.depth, k, findings, q, count);
        for (std::size_t at = 0; at < best.size(); ++at) {
            cosine[q * k + at] = best[at].score;
            index[q * k + at] = best[at].row;
        }
    });
}

}  // namespace

float exact_product(const float* one, const float* two, std::size_t depth) {
    constexpr std::size_t LANES = 8;
    double sums[LANES] = {};
    std::size_t k = 0;
    for (; k + LANES <= depth; k += LANES)
        for (std::size_t lane = 0; lane < LANES; ++lane)
            sums[lane] += static_cast<double>(one[k + lane]) * static_cast<double>(two[k + lane]);
    for (std::size_t lane = 0; k + lane < depth; ++lane)
        sums[lane] += static_cast<double>(one[k + lane]) * static_cast<double>(two[k + lane]);
    for (std::size_t half = LANES / 2; half > 0; half /= 2)
        for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
    return static_cast<float>(sums[0]);
}

void scan(const Scanned& rows, const float* queries, std::size_t count, std::size_t k, std::size_t threads,
          float* cosine, std::int32_t* index) {
    for (std::size_t q = 0; q < count; q += QUERIES_AT_ONCE)
        scan_some(rows, queries + q * rows.depth, std::min(QUERIES_AT_ONCE, count - q), k, threads, cosine + q * k,
                  index + q * k);
}

}  // namespace calque
