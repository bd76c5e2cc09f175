//! Written by data/elements/generate.py.

use super::{Element, element};

#[rustfmt::skip]
pub(super) const ELEMENTS: [Element; 90] = [
    element("H", 0.31, 1.10, false), // Mantina
    element("HE", 0.28, 1.43, false), // Alvarez
    element("LI", 1.28, 1.81, true), // Mantina
    element("BE", 0.96, 1.53, true), // Mantina
    element("B", 0.84, 1.92, false), // Mantina
    element("C", 0.76, 1.70, false), // Mantina
    element("N", 0.71, 1.55, false), // Mantina
    element("O", 0.66, 1.52, false), // Mantina
    element("F", 0.57, 1.47, false), // Mantina
    element("NE", 0.58, 1.58, false), // Alvarez
    element("NA", 1.66, 2.27, true), // Mantina
    element("MG", 1.41, 1.73, true), // Mantina
    element("AL", 1.21, 1.84, true), // Mantina
    element("SI", 1.11, 2.10, false), // Mantina
    element("P", 1.07, 1.80, false), // Mantina
    element("S", 1.05, 1.80, false), // Mantina
    element("CL", 1.02, 1.75, false), // Mantina
    element("AR", 1.06, 1.83, false), // Alvarez
    element("K", 2.03, 2.75, true), // Mantina
    element("CA", 1.76, 2.31, true), // Mantina
    element("SC", 1.70, 2.58, true), // Alvarez
    element("TI", 1.60, 2.46, true), // Alvarez
    element("V", 1.53, 2.42, true), // Alvarez
    element("CR", 1.39, 2.45, true), // Alvarez
    element("MN", 1.39, 2.45, true), // Alvarez
    element("FE", 1.32, 2.44, true), // Alvarez
    element("CO", 1.26, 2.40, true), // Alvarez
    element("NI", 1.24, 2.40, true), // Alvarez
    element("CU", 1.32, 2.38, true), // Alvarez
    element("ZN", 1.22, 2.39, true), // Alvarez
    element("GA", 1.22, 1.87, true), // Mantina
    element("GE", 1.20, 2.11, false), // Mantina
    element("AS", 1.19, 1.85, false), // Mantina
    element("SE", 1.20, 1.90, false), // Mantina
    element("BR", 1.20, 1.83, false), // Mantina
    element("KR", 1.16, 2.25, false), // Alvarez
    element("RB", 2.20, 3.03, true), // Mantina
    element("SR", 1.95, 2.49, true), // Mantina
    element("Y", 1.90, 2.75, true), // Alvarez
    element("ZR", 1.75, 2.52, true), // Alvarez
    element("NB", 1.64, 2.56, true), // Alvarez
    element("MO", 1.54, 2.45, true), // Alvarez
    element("TC", 1.47, 2.44, true), // Alvarez
    element("RU", 1.46, 2.46, true), // Alvarez
    element("RH", 1.42, 2.44, true), // Alvarez
    element("PD", 1.39, 2.15, true), // Alvarez
    element("AG", 1.45, 2.53, true), // Alvarez
    element("CD", 1.44, 2.49, true), // Alvarez
    element("IN", 1.42, 1.93, true), // Mantina
    element("SN", 1.39, 2.17, true), // Mantina
    element("SB", 1.39, 2.06, true), // Mantina
    element("TE", 1.38, 2.06, false), // Mantina
    element("I", 1.39, 1.98, false), // Mantina
    element("XE", 1.40, 2.06, false), // Alvarez
    element("CS", 2.44, 3.43, true), // Mantina
    element("BA", 2.15, 2.68, true), // Mantina
    element("LA", 2.07, 2.98, true), // Alvarez
    element("CE", 2.04, 2.88, true), // Alvarez
    element("PR", 2.03, 2.92, true), // Alvarez
    element("ND", 2.01, 2.95, true), // Alvarez
    element("SM", 1.98, 2.90, true), // Alvarez
    element("EU", 1.98, 2.87, true), // Alvarez
    element("GD", 1.96, 2.83, true), // Alvarez
    element("TB", 1.94, 2.79, true), // Alvarez
    element("DY", 1.92, 2.87, true), // Alvarez
    element("HO", 1.92, 2.81, true), // Alvarez
    element("ER", 1.89, 2.83, true), // Alvarez
    element("TM", 1.90, 2.79, true), // Alvarez
    element("YB", 1.87, 2.80, true), // Alvarez
    element("LU", 1.87, 2.74, true), // Alvarez
    element("HF", 1.75, 2.63, true), // Alvarez
    element("TA", 1.70, 2.53, true), // Alvarez
    element("W", 1.62, 2.57, true), // Alvarez
    element("RE", 1.51, 2.49, true), // Alvarez
    element("OS", 1.44, 2.48, true), // Alvarez
    element("IR", 1.41, 2.41, true), // Alvarez
    element("PT", 1.36, 2.29, true), // Alvarez
    element("AU", 1.36, 2.32, true), // Alvarez
    element("HG", 1.32, 2.45, true), // Alvarez
    element("TL", 1.45, 1.96, true), // Mantina
    element("PB", 1.46, 2.02, true), // Mantina
    element("BI", 1.48, 2.07, true), // Mantina
    element("AC", 2.15, 2.80, true), // Alvarez
    element("TH", 2.06, 2.93, true), // Alvarez
    element("PA", 2.00, 2.88, true), // Alvarez
    element("U", 1.96, 2.71, true), // Alvarez
    element("NP", 1.90, 2.82, true), // Alvarez
    element("PU", 1.87, 2.81, true), // Alvarez
    element("AM", 1.80, 2.83, true), // Alvarez
    element("CM", 1.69, 3.05, true), // Alvarez
];

/// Components that the Chemical Component Dictionary calls saccharides.
pub(super) const SACCHARIDES: &str = "\
    045 05L 07E 07Y 08U 09X 0AT 0BD 0H0 0HX 0LP 0MK 0NZ 0TS 0UB 0V4 0WK 0XY 0YT 10M 12E 145 147 149 14T 15L 16F 16G 16O 17T \
    18D 18O 18T 1AR 1BW 1CF 1FT 1GL 1GN 1JB 1LL 1NA 1S3 1S4 1SD 1X4 20S 20X 22O 22S 23V 24S 25E 26M 26O 26Q 26R 26V 26W 26Y \
    27C 289 291 293 2DG 2DR 2F8 2FG 2FL 2FP 2GL 2GS 2H5 2HA 2M4 2M5 2M8 2OS 2SI 2WP 2WS 32O 34V 38J 3BU 3CM 3DO 3DY 3FM 3GR \
    3HD 3J3 3J4 3LJ 3LR 3MF 3MG 3MK 3R3 3S6 3SA 3YW 40J 42D 445 44S 46D 46M 46Z 475 48Z 491 49A 49S 49T 49V 4AM 4CQ 4GC 4GL \
    4GP 4JA 4N2 4NN 4QY 4R1 4RS 4SG 4U0 4U1 4U2 4UZ 4V5 50A 510 51N 56N 57S 5DI 5GF 5GO 5II 5KQ 5KS 5KT 5KV 5L2 5L3 5LS 5LT \
    5MM 5N6 5QP 5RP 5SA 5SP 5TH 5TJ 5TK 5TM 604 61J 62I 64K 66O 6BG 6C2 6DM 6GB 6GP 6GR 6K3 6KH 6KL 6KS 6KU 6KW 6LA 6LS 6LW \
    6MJ 6MN 6PG 6PY 6PZ 6S2 6SA 6UD 6Y6 6YR 6ZC 73E 79J 7CV 7D1 7GP 7JZ 7K2 7K3 7NU 7SA 83Y 89Y 8B7 8B9 8EX 8GA 8GG 8GP 8I4 \
    8LM 8LR 8OQ 8PK 8S0 8YV 95Z 96O 98U 9AM 9C1 9CD 9GP 9KJ 9MR 9OK 9PG 9QG 9QZ 9RN 9S7 9SG 9SJ 9SM 9SP 9T1 9T7 9VP 9WJ 9WN \
    9WZ 9YW A0K A1AIO A1APB A1APC A1APD A1CCV A1CCW A1EAX A1EFW A1EGT A1EGV A1EGW A1EGX A1EGY A1EJ0 A1EJ2 A1EKO A1EN6 A1H03 \
    A1H0P A1H0Z A1H10 A1H1B A1H1F A1H1V A1I9U A1ID6 A1IH4 A1IVP A1IZL A1JAQ A1L1P A1Q A2G A5C A6P AAL AAO ABC ABD ABE ABF \
    ABL AC1 ACG ACR ACX ADA ADG ADR AF1 AFD AFL AFO AFP AFR AGC AGH AGL AGR AH2 AH8 AHG AHM AHR AIG ALL ALX AMG AMN AMU AMV \
    ANA AOG AOS AQA ARA ARB ARE ARI ARW ASC ASG ASO AXP AXR AY9 AZC B0D B16 B1H B1N B2G B4G B6D B7G B8D B9D BBK BBV BCD BCW \
    BDF BDG BDP BDR BDZ BEM BFN BFP BG6 BG8 BGC BGL BGN BGP BGS BHG BM3 BM7 BMA BMX BND BNG BNX BO1 BOG BQY BRI BS7 BTG BTU \
    BW3 BWG BXF BXP BXX BXY BZD C3B C3G C3X C4B C4W C4X C5X CAP CBF CBI CBK CDR CE5 CE6 CE8 CEG CEX CEY CEZ CGF CJB CKB CKP \
    CNP CR1 CR6 CRA CT3 CTO CTR CTT D0N D1M D5E D6G DAF DAG DAN DDA DDB DDL DEG DEL DFR DFX DG0 DGC DGD DGM DGO DGS DGU DIG \
    DJB DJE DK4 DKX DKZ DL6 DLD DLF DLG DMU DNO DO8 DOM DP5 DPC DQQ DQR DR2 DR3 DR4 DR5 DRI DSR DT6 DVC DYM E3M E4P E5G EAG \
    EBG EBQ ED6 EEN EEQ EGA EJT EMP EMZ EPG EQP EQV ERE ERI ETT EUS F1P F1X F55 F58 F6P F8X FBP FCA FCB FCT FDP FDQ FFC FFX \
    FIF FIX FK9 FKD FMF FMO FNG FNY FRU FSA FSI FSM FSR FSW FU4 FUB FUC FUD FUF FUL FUY FVQ FX1 FYJ G0S G16 G1P G20 G28 G2F \
    G3F G3I G4D G4S G6D G6P G6S G7P G8Z GAA GAC GAD GAF GAL GAT GBH GC1 GC4 GC9 GCB GCD GCN GCO GCS GCT GCU GCV GCW GDA GDL \
    GE1 GE3 GFP GIV GL0 GL1 GL2 GL4 GL5 GL6 GL7 GL9 GLA GLB GLC GLD GLF GLG GLO GLP GLS GLT GLW GM0 GMB GMH GMT GMZ GN1 GN4 \
    GNS GNX GP0 GP1 GP4 GPH GPK GPM GPO GPQ GPU GPV GPW GQ1 GRF GRX GS1 GS4 GS9 GSA GSD GTE GTH GTK GTM GTR GU0 GU1 GU2 GU3 \
    GU4 GU5 GU6 GU8 GU9 GUF GUL GUP GUZ GXL GXV GYE GYG GYP GYU GYV GZL H1M H1S H2P H3S H53 H6Q H6Z HBZ HD4 HDL HLA HMS HNV \
    HNW HSG HSH HSJ HSQ HSR HSU HSX HSY HSZ HTG HTM HVC I57 IAB IDC IDF IDG IDR IDS IDT IDU IDX IDY IEM IN1 IPT ISD ISL ISX \
    IVG IXD J5B JFZ JHM JLT JRV JS2 JSV JV4 JVA JVS JZR K5B K99 KBA KBG KD5 KDA KDB KDD KDE KDF KDM KDN KDO KDR KFN KG1 KGM \
    KHP KME KO1 KO2 KOT KQC KTU L1L L6N L6S L6T LAG LAH LAI LAK LAO LAT LB2 LBS LBT LCN LDY LEC LER LFC LFR LGC LGU LKA LKS \
    LM2 LMO LMT LMU LNV LOG LOX LPK LRH LSM LTG LTM LVO LVZ LXB LXC LXZ LZ0 M1F M1P M2F M3M M3N M55 M6D M6P M7B M7P M8C MA1 \
    MA2 MA3 MA8 MAB MAF MAG MAL MAN MAT MAV MAW MBE MBF MBG MCU MDA MDP MFA MFB MFU MG5 MGA MGC MGL MGS MJJ MLB MLR MMA MMN \
    MN0 MNA MQG MQT MRH MRP MSX MTT MUB MUG MUR MVP MXY MXZ MYG N1L N3U N9S NA1 NAA NAG NBG NBX NBY NDG NED NFG NG1 NG6 NGA \
    NGB NGC NGE NGF NGK NGL NGR NGS NGY NGZ NHF NLC NM6 NM9 NNG NOJ NPF NSQ NT1 NTF NTO NTP NXD NYT O1G OAK OEL OI7 OPM ORP \
    OSU OTG OTN OTU OX2 P53 P6P P8E PA1 PA5 PAV PDX PH5 PKM PNA PNG PNJ PNW PPC PRP PSG PSJ PSV PTQ PUF PZU QDK QIF QKH QPS \
    QV4 R1P R1X R2B R2G R5P RAA RAE RAF RAM RAO RAT RB5 RBL RCD RDP REL RER RF5 RG1 RGG RHA RHC RI2 RIB RIP RM4 RNS RNT ROB \
    ROR RP3 RP5 RP6 RPA RR7 RRJ RRY RST RTG RTV RUB RUG RUU RV7 RVG RVM RWI RY7 RZM S6P S7P S81 SA0 SCG SCR SDD SDY SEJ SF6 \
    SF9 SFJ SFU SG4 SG5 SG6 SG7 SGA SGC SGD SGN SGS SHB SHD SHG SI3 SIA SID SIO SIZ SLB SLM SLT SMD SN5 SNG SOE SOG SOL SOR \
    SR1 SSG SSH STW STZ SUC SUP SUS SWE SZZ T68 T6D T6P T6T TA6 TAG TCB TCG TDG TEU TF0 TFU TGA TGK TGR TGY TH1 TM5 TM6 TM9 \
    TMR TMX TNX TOA TOC TQY TRE TRV TS8 TT7 TTV TTZ TU4 TUG TUJ TUP TUR TVD TVG TVM TVS TVV TVY TW7 TWA TWD TWG TWJ TWY TXB \
    TY6 TYV U1Y U2A U2D U63 U8V U97 U9A U9D U9G U9J U9M UAP UBH UBO UCD UDC UEA V3M V3P V71 VDF VG1 VJ1 VJ4 VKN VTB W9T WIA \
    WKO WKT WOO WT8 WUN WZ1 WZ2 WZ4 X0X X1P X1X X2F X2Y X34 X4S X5S X6N X6X X6Y X6Z XBP XDP XDX XGP XIL XIQ XKJ XLF XLS XMM \
    XS2 XUL XXM XXR XX\x58 XY6 XY9 XYB XYF XYL XYP XYS XYT XYZ YDR YIO YJM YKR YO5 YX0 YX1 YYB YYD YYH YYJ YYK YYM YYQ YYR YZ0 \
    YZT Z0F Z15 Z16 Z2D Z2T Z3K Z3L Z3Q Z3U Z4K Z4R Z4S Z4U Z4V Z4W Z4Y Z57 Z5J Z5L Z61 Z6G Z6H Z6J Z6W Z8H Z8T Z9D Z9E Z9H \
    Z9K Z9L Z9M Z9N Z9W ZB0 ZB1 ZB2 ZB3 ZCD ZCZ ZD0 ZDC ZDM ZDO ZEE ZEL ZGE ZMR";
