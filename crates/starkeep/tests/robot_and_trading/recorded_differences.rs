//! Where something else comes out than what was recorded of the existing services, and why.
//! A row is the step, where among its outputs it differs, and what stands there instead: JSON in the recorded ids, or nothing.

type Row = (&'static str, &'static str, &'static str);

pub(crate) const DIFFERENCES: &[(&str, &[Row])] = &[
    (
        "upgrades can be bought: their name is split at the last underscore",
        &[
            ("B buys MINING_SPEED_1", "/trading to robot/0/request/upgradeType", r#""MINING_SPEED""#),
            ("B buys MINING_SPEED_1", "/trading to robot/0/request/targetLevel", "1"),
            ("B buys MINING_SPEED_1", "/trading to robot/0/status", "200"),
            (
                "B buys MINING_SPEED_1",
                "/trading to robot/0/response",
                r#""MINING_SPEED of robot 22f44095-6e1b-491c-8e83-35d5e474461b has been updated to LVL1""#,
            ),
            ("B buys MINING_SPEED_1", "/trades/0/type", r#""buy-item""#),
            ("B buys MINING_SPEED_1", "/trades/0/payload/success", "true"),
            (
                "B buys MINING_SPEED_1",
                "/trades/0/payload/message",
                r#""MINING_SPEED of robot 22f44095-6e1b-491c-8e83-35d5e474461b has been updated to LVL1""#,
            ),
            ("B buys MINING_SPEED_1", "/trades/0/payload/moneyChangedBy", "-50"),
        ],
    ),
    (
        "special items are not for sale, which is said in a sentence and without asking the robot service",
        &[
            ("B buys ROCKET", "/trading to robot/0", ""),
            ("B buys ROCKET", "/trades/0/payload/message", r#""The item/upgrade 'ROCKET' is not for sale.""#),
        ],
    ),
    (
        "the map is told who mines, where that is a single robot",
        &[
            (
                "a1 mines",
                "/robot to map/1/request/mining/transaction_id",
                r#""a1cc0f7f-a834-4635-964f-308ee042b3b5""#,
            ),
            (
                "a1 mines",
                "/robot to map/1/request/mining/robot_id",
                r#""ab973ecc-647f-4ef2-a014-7dffc2833d38""#,
            ),
            (
                "a1 mines again",
                "/robot to map/1/request/mining/transaction_id",
                r#""14223b4d-ae42-44ab-8f31-a709e0164335""#,
            ),
            (
                "a1 mines again",
                "/robot to map/1/request/mining/robot_id",
                r#""ab973ecc-647f-4ef2-a014-7dffc2833d38""#,
            ),
            (
                "d1 mines",
                "/robot to map/1/request/mining/transaction_id",
                r#""f27c902a-0ca8-45fe-a959-768621ef24a3""#,
            ),
            (
                "d1 mines",
                "/robot to map/1/request/mining/robot_id",
                r#""5c970847-a8ec-4612-9f59-1da4565b4cd4""#,
            ),
        ],
    ),
    (
        "robots of a game that has ended are not met: all of the loot is the killer's",
        &[
            ("C buys c1, D buys d1", "/spawn-notification/0/payload/otherSeeableRobots/0", ""),
            ("C buys c1, D buys d1", "/spawn-notification/1/payload/otherSeeableRobots/0", ""),
            ("d1 moves back", "/movement/0/payload/robots/0", ""),
            ("c1 destroys d1", "/resource-distribution/0", ""),
            ("c1 destroys d1", "/resource-distribution/0/payload/coal", "2"),
            ("C sells its loot", "/trading to robot/0/response/coal", "2"),
            ("C sells its loot", "/trades/0/payload/data/coal", "2"),
            ("C sells its loot", "/trades/0/payload/moneyChangedBy", "10"),
        ],
    ),
    (
        "a round that is told of again has no prices of its own",
        &[
            ("game 2, round 3: started again", "/current-item-prices/0", ""),
            ("game 2, round 3: started again", "/current-resource-prices/0", ""),
        ],
    ),
];
